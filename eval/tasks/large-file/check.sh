set -eu
test "$(grep -c 'id INTEGER PRIMARY KEY' schema.sql)" -eq 900
test "$(git diff --numstat | cut -f1,2)" = "$(printf '1\t1')"
