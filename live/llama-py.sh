#!/bin/sh
# llama-cpp-python's server on loopback, for the opt-in tests: another reading of
# the chat format than llama.cpp's own. The model file is that of live/llama.sh.
#
#   sh live/llama-py.sh setup    once; compiles, 10 to 40 minutes
#   sh live/llama-py.sh start    in the background; returns when it answers
#   sh live/llama-py.sh gated    the same behind live/gate.py, on LLAMA_PY_GATE_PORT:
#                                the tool LIVE_TOOL is called after each prompt
#   sh live/llama-py.sh stop
#   sh live/llama-py.sh url      the base URL; `gate-url` the gate's; `model` the model
#
# LLAMA_PY_GATE_PORT (8096), LIVE_TOOL (look),
# LIVE_DIR (target/live), LLAMA_PY_PORT (8092), LIVE_CONTEXT (8192), LIVE_THREADS (1).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${LIVE_DIR:-$here/../target/live}
port=${LLAMA_PY_PORT:-8092}
gate=${LLAMA_PY_GATE_PORT:-8096}
tool=${LIVE_TOOL:-look}
context=${LIVE_CONTEXT:-8192}
threads=${LIVE_THREADS:-1}
weights=$folder/SmolLM2-135M-Instruct.Q4_1.gguf
pidfile=$folder/llama-py.pid
logfile=$folder/llama-py.log

fail() {
  echo "live/llama-py.sh: $*" >&2
  exit 1
}

answers() {
  python3 -c "import urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:$port/v1/models', timeout=2)" \
    2>/dev/null
}

setup() {
  "$folder/lcp/bin/python" -c 'import llama_cpp.server' 2>/dev/null && return
  mkdir -p "$folder"
  python3 -m venv "$folder/lcp"
  "$folder/lcp/bin/pip" install --quiet 'llama-cpp-python[server]'
}

start() {
  [ -x "$folder/lcp/bin/python" ] || fail "run 'sh live/llama-py.sh setup' first"
  [ -s "$weights" ] || fail "the model file is missing: run 'sh live/llama.sh setup'"
  answers && fail "something already answers on port $port; set LLAMA_PY_PORT"
  # This chat format puts a grammar over the arguments of a named call.
  nohup "$folder/lcp/bin/python" -m llama_cpp.server --host 127.0.0.1 --port "$port" \
    --model "$weights" --model_alias smollm2-135m --chat_format chatml-function-calling \
    --n_ctx "$context" --n_threads "$threads" --n_threads_batch "$threads" \
    >"$logfile" 2>&1 </dev/null &
  echo $! >"$pidfile"
  tries=0
  until answers; do
    kill -0 "$(cat "$pidfile")" 2>/dev/null || { tail -n 20 "$logfile" >&2; fail "the server ended"; }
    tries=$((tries + 1))
    [ "$tries" -lt 240 ] || { tail -n 20 "$logfile" >&2; fail "the server does not answer"; }
    sleep 0.5
  done
}

gated() {
  start
  # It knows no `required`, only the name of a tool.
  nohup python3 "$here/gate.py" "$gate" "http://127.0.0.1:$port" named "$tool" \
    >"$folder/gate-py.log" 2>&1 </dev/null &
  echo $! >"$folder/gate-py.pid"
  until python3 -c "import socket; socket.create_connection(('127.0.0.1', $gate), 1)" 2>/dev/null; do
    kill -0 "$(cat "$folder/gate-py.pid")" 2>/dev/null || fail "the gate ended: see $folder/gate-py.log"
    sleep 0.2
  done
}

stop() {
  if [ -s "$folder/gate-py.pid" ]; then
    kill "$(cat "$folder/gate-py.pid")" 2>/dev/null || true
    rm -f "$folder/gate-py.pid"
  fi
  [ -s "$pidfile" ] || return 0
  kill "$(cat "$pidfile")" 2>/dev/null || true
  rm -f "$pidfile"
}

case ${1:-} in
  setup) setup ;;
  start) start ;;
  gated) gated ;;
  gate-url) echo "http://127.0.0.1:$gate/v1" ;;
  stop) stop ;;
  url) echo "http://127.0.0.1:$port/v1" ;;
  model) echo smollm2-135m ;;
  *) echo "usage: sh live/llama-py.sh setup|start|gated|stop|url|gate-url|model" >&2; exit 2 ;;
esac
