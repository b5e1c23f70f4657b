"""The official client against the mock server's Messages. Argument: the base URL."""

import sys

import anthropic

client = anthropic.Anthropic(
    base_url=sys.argv[1].removesuffix("/v1"), api_key="sk-test", max_retries=2, timeout=60
)
MODEL = "mock-model"
TOOLS = [
    {
        "name": name,
        "description": "A tool.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        },
    }
    for name in ("read", "list")
]


def ask(text):
    return [{"role": "user", "content": text}]


def create(text, **more):
    return client.messages.create(model=MODEL, max_tokens=500, messages=ask(text), **more)


def models():
    assert [model.id for model in client.models.list()] == [MODEL]


def whole():
    reply = create("plain")
    assert [block.type for block in reply.content] == ["text"]
    assert reply.content[0].text == "Grüße, 世界!"
    assert reply.stop_reason == "end_turn"
    assert reply.usage.input_tokens > 0 and reply.usage.output_tokens > 0


def streamed():
    with client.messages.stream(model=MODEL, max_tokens=500, messages=ask("plain")) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    assert text == "Grüße, 世界!", text
    assert message.stop_reason == "end_turn"
    assert message.usage.input_tokens > 0 and message.usage.output_tokens > 0


def cache_counts():
    usage = create("cached").usage
    counts = (
        usage.input_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
        usage.output_tokens,
    )
    assert counts == (10, 60, 30, 20), counts
    with client.messages.stream(model=MODEL, max_tokens=500, messages=ask("cached")) as stream:
        usage = stream.get_final_message().usage
    assert usage.cache_read_input_tokens == 60 and usage.output_tokens == 20, usage


def counts_tokens():
    assert client.messages.count_tokens(model=MODEL, messages=ask("plain")).input_tokens > 0


def loop(step):
    messages = ask("use two tools")
    for _ in range(3):
        message = step(messages)
        if message.stop_reason != "tool_use":
            break
        kinds = [block.type for block in message.content]
        assert kinds == ["thinking", "text", "tool_use", "tool_use"], kinds
        assert message.content[0].thinking == "I must look."
        assert message.content[0].signature
        calls = [block for block in message.content if block.type == "tool_use"]
        assert [call.name for call in calls] == ["read", "list"]
        assert all(call.input == {"path": "notes.txt"} for call in calls), calls
        keep = {
            "thinking": ("type", "thinking", "signature"),
            "text": ("type", "text"),
            "tool_use": ("type", "id", "name", "input"),
        }
        content = [{key: getattr(b, key) for key in keep[b.type]} for b in message.content]
        messages.append({"role": "assistant", "content": content})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": "plum"} for call in calls
        ]
        messages.append({"role": "user", "content": results})
    assert message.content[-1].text == "It says: plum", message.content


def loop_whole():
    loop(lambda m: client.messages.create(model=MODEL, max_tokens=500, messages=m, tools=TOOLS))


def loop_streamed():
    def step(messages):
        with client.messages.stream(
            model=MODEL, max_tokens=500, messages=messages, tools=TOOLS
        ) as stream:
            for _ in stream:
                pass
            return stream.get_final_message()

    loop(step)


def cut_by_length():
    assert create("short").stop_reason == "max_tokens"


def retries_after_429():
    assert create("too many").content[0].text == "At last."


def fails(kind, word, **request):
    try:
        client.messages.create(model=MODEL, **request)
    except kind as error:
        assert word in str(error), error
    else:
        raise AssertionError("no error")


def errors_have_their_type():
    fails(anthropic.AuthenticationError, "401", max_tokens=9, messages=ask("refused"))
    fails(anthropic.BadRequestError, "prompt is too long", max_tokens=9, messages=ask("long"))
    twice = ask("one") + ask("two")
    fails(anthropic.BadRequestError, "in a row", max_tokens=9, messages=twice)


def an_error_in_the_stream_is_an_error():
    for text in ("overloaded", "cut"):
        try:
            for _ in create(text, stream=True):
                pass
        except Exception as error:
            assert text == "cut" or "overloaded" in str(error).lower(), error
        else:
            raise AssertionError("no error")


for check in (
    models,
    whole,
    streamed,
    cache_counts,
    counts_tokens,
    loop_whole,
    loop_streamed,
    cut_by_length,
    retries_after_429,
    errors_have_their_type,
    an_error_in_the_stream_is_an_error,
):
    check()
    print("ok", check.__name__)
