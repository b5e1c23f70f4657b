"""The official client against the mock server's Responses. Argument: the base URL."""

import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="sk-test", max_retries=2, timeout=60)
MODEL = "mock-model"
KEEP = {"store": False, "include": ["reasoning.encrypted_content"]}
TOOLS = [
    {
        "type": "function",
        "name": name,
        "description": "A tool.",
        "strict": False,
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        },
    }
    for name in ("read", "list")
]


def create(text, **more):
    return client.responses.create(model=MODEL, input=text, **KEEP, **more)


def whole():
    reply = create("plain")
    assert reply.output_text == "Grüße, 世界!"
    assert reply.status == "completed"
    assert reply.usage.input_tokens > 0


def streamed():
    text, kinds = "", []
    for event in create("plain", stream=True):
        kinds.append(event.type)
        if event.type == "response.output_text.delta":
            text += event.delta
        assert event.sequence_number == len(kinds) - 1
    assert text == "Grüße, 世界!", text
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds


def cache_counts():
    usage = create("cached").usage
    counts = (
        usage.input_tokens,
        usage.input_tokens_details.cached_tokens,
        usage.output_tokens,
        usage.output_tokens_details.reasoning_tokens,
    )
    assert counts == (100, 60, 20, 7), counts


def loop(step):
    items = [{"type": "message", "role": "user", "content": "use two tools"}]
    for _ in range(3):
        reply = step(items)
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            break
        kinds = [item.type for item in reply.output]
        assert kinds == ["reasoning", "message", "function_call", "function_call"], kinds
        assert reply.output[0].summary[0].text == "I must look."
        assert reply.output[0].encrypted_content
        assert [call.name for call in calls] == ["read", "list"]
        assert all(call.arguments == '{"path":"notes.txt"}' for call in calls), calls
        for item in reply.output:
            known = item.to_dict()
            known.pop("parsed_arguments", None)
            for part in known.get("content") or []:
                part.pop("parsed", None)
            items.append(known)
        for call in calls:
            items.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": "plum"}
            )
    assert reply.output_text == "It says: plum", reply.output


def loop_whole():
    loop(lambda items: client.responses.create(model=MODEL, input=items, tools=TOOLS, **KEEP))


def loop_streamed():
    def step(items):
        with client.responses.stream(model=MODEL, input=items, tools=TOOLS, **KEEP) as stream:
            for _ in stream:
                pass
            return stream.get_final_response()

    loop(step)


def cut_by_length():
    reply = create("short")
    assert reply.status == "incomplete", reply.status
    assert reply.incomplete_details.reason == "max_output_tokens"


def retries_after_429():
    assert create("too many").output_text == "At last."


def fails(kind, word, **request):
    try:
        client.responses.create(model=MODEL, **request)
    except kind as error:
        assert word in str(error), error
    else:
        raise AssertionError("no error")


def errors_have_their_type():
    fails(openai.AuthenticationError, "401", input="refused", **KEEP)
    fails(openai.BadRequestError, "exceeds the context window", input="long", **KEEP)
    fails(openai.BadRequestError, "store", input="plain", store=True, include=KEEP["include"])


def an_error_in_the_stream_ends_it():
    events = list(create("overloaded", stream=True))
    assert events[-1].type == "response.failed", events[-1]
    assert events[-1].response.error.message == "Overloaded"


def a_cut_stream_is_an_error():
    try:
        for _ in create("cut", stream=True):
            pass
    except Exception:  # which one depends on the client's version
        pass
    else:
        raise AssertionError("no error")


for check in (
    whole,
    streamed,
    cache_counts,
    loop_whole,
    loop_streamed,
    cut_by_length,
    retries_after_429,
    errors_have_their_type,
    an_error_in_the_stream_ends_it,
    a_cut_stream_is_an_error,
):
    check()
    print("ok", check.__name__)
