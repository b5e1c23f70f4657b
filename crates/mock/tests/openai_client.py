"""The official client against the mock server. Argument: the base URL."""

import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="sk-test", max_retries=2, timeout=60)
MODEL = "mock-model"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "A tool.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}},
                "required": ["path"],
            },
        },
    }
    for name in ("read", "list")
]


def ask(text):
    return [{"role": "user", "content": text}]


def models():
    assert [model.id for model in client.models.list()] == [MODEL]


def whole():
    reply = client.chat.completions.create(model=MODEL, messages=ask("plain"))
    assert reply.choices[0].message.content == "Grüße, 世界!"
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage.total_tokens > 0


def streamed():
    chunks = client.chat.completions.create(
        model=MODEL,
        messages=ask("plain"),
        stream=True,
        stream_options={"include_usage": True},
    )
    text, usage = "", None
    for chunk in chunks:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
    assert text == "Grüße, 世界!", text
    assert usage.total_tokens > 0


def loop_with_tools():
    messages = ask("use two tools")
    for _ in range(2):
        with client.chat.completions.stream(model=MODEL, messages=messages, tools=TOOLS) as stream:
            for _ in stream:
                pass
            message = stream.get_final_completion().choices[0].message
        if not message.tool_calls:
            break
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in message.tool_calls
        ]
        assert [call["function"]["name"] for call in calls] == ["read", "list"]
        assert all(c["function"]["arguments"] == '{"path":"notes.txt"}' for c in calls), calls
        messages.append({"role": "assistant", "content": message.content, "tool_calls": calls})
        for call in calls:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "plum"})
    assert message.content == "It says: plum", message.content


def retries_after_429():
    reply = client.chat.completions.create(model=MODEL, messages=ask("too many"))
    assert reply.choices[0].message.content == "At last."


def errors_have_their_type():
    try:
        client.chat.completions.create(model=MODEL, messages=ask("refused"))
    except openai.AuthenticationError as error:
        assert "401" in str(error)
    else:
        raise AssertionError("no error")
    try:
        client.chat.completions.create(model=MODEL, messages=[{"role": "developer", "content": "x"}])
    except openai.BadRequestError as error:
        assert "developer" in str(error)
    else:
        raise AssertionError("no error")


def a_cut_stream_is_an_error():
    try:
        for _ in client.chat.completions.create(model=MODEL, messages=ask("cut"), stream=True):
            pass
    except Exception:  # which one depends on the client's version
        pass
    else:
        raise AssertionError("no error")


for check in (
    models,
    whole,
    streamed,
    loop_with_tools,
    retries_after_429,
    errors_have_their_type,
    a_cut_stream_is_an_error,
):
    check()
    print("ok", check.__name__)
