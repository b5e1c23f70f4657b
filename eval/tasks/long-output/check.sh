set -eu
grep -q "$((7919 * 13 + 4))" "$ANSWER"
