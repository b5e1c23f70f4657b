"""A model of LiteLLM that does what the user's words say, so that the proxy can
be driven without one:

    CALL NAME {"json": "arguments"}     one tool call, or several in a row
    LIMIT | BROKEN | KEY | WINDOW       429, 500, 401, a prompt that does not fit

Anything else, and the result of a tool, is said back.
"""

import json
import uuid

import litellm
from litellm import CustomLLM, ModelResponse
from litellm.types.utils import Choices, GenericStreamingChunk, Message, Usage

ERRORS = {
    "LIMIT": litellm.RateLimitError,
    "BROKEN": litellm.InternalServerError,
    "KEY": litellm.AuthenticationError,
    "WINDOW": litellm.ContextWindowExceededError,
}


def words(message):
    content = message.get("content") or ""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content


def plan(model, messages):
    """What to say and what to call."""
    last = messages[-1]
    text = words(last).strip()
    if last.get("role") != "user":
        return "The tool said: " + text[:500], []
    verb = text.split(maxsplit=1)[0] if text else ""
    if verb in ERRORS:
        raise ERRORS[verb](message="as the script says", llm_provider="scripted", model=model)
    calls = []
    for line in text.splitlines():
        if line.startswith("CALL "):
            _, name, arguments = line.split(maxsplit=2)
            calls.append((name, json.dumps(json.loads(arguments))))
    return (None, calls) if calls else ("You said: " + text[:500], [])


def identifier():
    return "call_" + uuid.uuid4().hex[:12]


USAGE = {"prompt_tokens": 12, "completion_tokens": 8, "total_tokens": 20}


class Scripted(CustomLLM):
    def completion(self, model, messages, model_response=None, **_):
        text, calls = plan(model, messages)
        listed = [
            {"id": identifier(), "type": "function", "function": {"name": name, "arguments": arguments}}
            for name, arguments in calls
        ]
        answer = model_response or ModelResponse()
        message = Message(role="assistant", content=text, tool_calls=listed or None)
        reason = "tool_calls" if calls else "stop"
        answer.choices = [Choices(index=0, finish_reason=reason, message=message)]
        answer.usage, answer.model = Usage(**USAGE), model
        return answer

    async def acompletion(self, *arguments, **named):
        return self.completion(*arguments, **named)

    def pieces(self, model, messages):
        text, calls = plan(model, messages)

        def piece(**fields):
            empty = {"text": "", "is_finished": False, "finish_reason": "", "index": 0, "tool_use": None, "usage": None}
            return GenericStreamingChunk(**(empty | fields))

        for word in (text or "").split(" "):
            yield piece(text=word + " ")
        for index, (name, arguments) in enumerate(calls):
            call = {"type": "function", "index": index}
            yield piece(tool_use=call | {"id": identifier(), "function": {"name": name, "arguments": ""}})
            for start in range(0, len(arguments), 5):
                part = {"name": None, "arguments": arguments[start : start + 5]}
                yield piece(tool_use=call | {"id": None, "function": part})
        yield piece(is_finished=True, finish_reason="tool_calls" if calls else "stop", usage=USAGE)

    def streaming(self, model, messages, **_):
        yield from self.pieces(model, messages)

    async def astreaming(self, model, messages, **_):
        for piece in self.pieces(model, messages):
            yield piece


handler = Scripted()
