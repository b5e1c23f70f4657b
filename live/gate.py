#!/usr/bin/env python3
"""Stands on loopback before a real server whose model is too small to call a
tool by itself, so that a whole loop (call, result, answer) is made of the
server's own tokens and the server's own wire shapes:

    gate.py LISTEN_PORT UPSTREAM_URL required|named TOOL

- While the user spoke last, only TOOL is offered and must be called.
- After a tool's result no tool is offered, so the model answers in words.
- Answers are short and always the same. Nothing else of a request changes, and the answer is passed
  on byte for byte.

Knows the three formats by their paths: /chat/completions, /messages, /responses.
"""

import http.client
import json
import sys
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LISTEN, UPSTREAM, CHOICE, TOOL = int(sys.argv[1]), urllib.parse.urlparse(sys.argv[2]), sys.argv[3], sys.argv[4]
LONGEST = 160

if UPSTREAM.hostname not in ("127.0.0.1", "localhost"):
    sys.exit("gate.py: only a server of this machine can be behind it")


def user_spoke_last(request):
    """Whether the newest message is the user's own words, in any format."""
    history = request.get("messages") or request.get("input") or []
    last = history[-1] if isinstance(history, list) and history else {}
    if last.get("role") != "user":
        return False
    content = last.get("content")
    return isinstance(content, str) or all(part.get("type") != "tool_result" for part in content)


def name_of(tool):
    return tool.get("name") or tool.get("function", {}).get("name")


def forced(path):
    if path.endswith("/messages"):
        return {"type": "any"} if CHOICE == "required" else {"type": "tool", "name": TOOL}
    if CHOICE == "required":
        return "required"
    return {"type": "function", "function": {"name": TOOL}}


def bend(path, request):
    tools = [tool for tool in request.get("tools", []) if name_of(tool) == TOOL]
    if tools and user_spoke_last(request):
        request["tools"], request["tool_choice"] = tools, forced(path)
    else:
        request.pop("tools", None)
        request.pop("tool_choice", None)
    limit = "max_output_tokens" if path.endswith("/responses") else "max_tokens"
    request[limit] = min(request.get(limit) or LONGEST, LONGEST)
    request["temperature"] = 0
    return request


class Gate(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.forward(None)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.split("?")[0]
        if path.endswith(("/chat/completions", "/messages", "/responses")):
            body = json.dumps(bend(path, json.loads(body))).encode()
        self.forward(body)

    def forward(self, body):
        server = http.client.HTTPConnection(UPSTREAM.hostname, UPSTREAM.port, timeout=600)
        kept = ("content-type", "authorization", "x-api-key", "anthropic-version")
        headers = {name: value for name, value in self.headers.items() if name.lower() in kept}
        server.request(self.command, self.path, body, headers)
        answer = server.getresponse()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type") or "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        while piece := answer.read1(65536):
            self.wfile.write(piece)
            self.wfile.flush()
        self.close_connection = True


ThreadingHTTPServer(("127.0.0.1", LISTEN), Gate).serve_forever()
