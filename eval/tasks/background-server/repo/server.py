"""Gives out tokens, each a new one."""

import http.server
import secrets
import time


class Tokens(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        token = secrets.token_hex(8)
        with open("given.log", "a") as log:
            log.write(token + "\n")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(token.encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    time.sleep(0.3)
    server = http.server.HTTPServer(("127.0.0.1", 0), Tokens)
    with open("server.port", "w") as file:
        file.write(str(server.server_port))
    print("listening", flush=True)
    server.serve_forever()
