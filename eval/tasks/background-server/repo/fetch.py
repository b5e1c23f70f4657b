"""Asks the server: `python3 fetch.py /path`."""

import sys
import urllib.request

with open("server.port") as file:
    port = file.read()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(opener.open(f"http://127.0.0.1:{port}{sys.argv[1]}").read().decode())
