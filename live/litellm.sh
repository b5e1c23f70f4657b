#!/bin/sh
# A LiteLLM proxy on loopback with a scripted model, for the opt-in tests.
#
#   sh live/litellm.sh setup    once; a Python environment of its own, about 600 MB
#   sh live/litellm.sh start    in the background; returns when it answers (about 40 s)
#   sh live/litellm.sh stop
#   sh live/litellm.sh url      the base URL; `model` the model; `key` the key
#
# LIVE_DIR (target/live), LITELLM_PORT (4010).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${LIVE_DIR:-$here/../target/live}
port=${LITELLM_PORT:-4010}
pidfile=$folder/litellm.pid
logfile=$folder/litellm.log

# Nothing but loopback: no telemetry, no download of prices.
export LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_TELEMETRY=False DO_NOT_TRACK=1
export HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1

fail() {
  echo "live/litellm.sh: $*" >&2
  exit 1
}

answers() {
  python3 -c "import urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:$port/health/liveliness', timeout=2)" \
    2>/dev/null
}

setup() {
  [ -x "$folder/lit/bin/litellm" ] && return
  mkdir -p "$folder"
  python3 -m venv "$folder/lit"
  "$folder/lit/bin/pip" install --quiet 'litellm[proxy]'
}

start() {
  [ -x "$folder/lit/bin/litellm" ] || fail "run 'sh live/litellm.sh setup' first"
  answers && fail "something already answers on port $port; set LITELLM_PORT"
  folder=$(cd "$folder" && pwd)
  cd "$here"
  PYTHONPATH=$here nohup "$folder/lit/bin/litellm" --config litellm.yaml \
    --host 127.0.0.1 --port "$port" >"$logfile" 2>&1 </dev/null &
  echo $! >"$pidfile"
  tries=0
  until answers; do
    kill -0 "$(cat "$pidfile")" 2>/dev/null || { tail -n 20 "$logfile" >&2; fail "the proxy ended"; }
    tries=$((tries + 1))
    [ "$tries" -lt 360 ] || { tail -n 20 "$logfile" >&2; fail "the proxy does not answer"; }
    sleep 0.5
  done
}

stop() {
  [ -s "$pidfile" ] || return 0
  kill "$(cat "$pidfile")" 2>/dev/null || true
  rm -f "$pidfile"
}

case ${1:-} in
  setup) setup ;;
  start) start ;;
  stop) stop ;;
  url) echo "http://127.0.0.1:$port/v1" ;;
  model) echo scripted ;;
  key) echo sk-live-test ;;
  *) echo "usage: sh live/litellm.sh setup|start|stop|url|model|key" >&2; exit 2 ;;
esac
