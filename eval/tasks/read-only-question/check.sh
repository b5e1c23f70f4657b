set -eu
for name in BOARD_PORT BOARD_THEME HOME; do
  grep -qw "$name" "$ANSWER"
done
# One stands only in a comment, one is only set.
if grep -qwE 'BOARD_DEBUG|BOARD_CHILD' "$ANSWER"; then exit 1; fi
test -z "$(git status --porcelain)"
