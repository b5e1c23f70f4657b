set -eu
test "$(cat VERSION)" = 0.1.0
test "$(cat AUTHORS)" = "Ada Lovelace"
test "$(tail -n 1 README.md)" = "See AUTHORS."
test "$(head -n 1 docs/index.md)" = "# Documentation"
# A list was kept.
grep '"type":"todo"' "$EVENTS" | grep -q '"completed"'
