# The number that holds stands in limits.py; config.py only looks like it.
set -eu
grep -q 'fetcher/limits\.py:9' "$ANSWER"
grep -qw '4' "$ANSWER"
test -z "$(git status --porcelain)"
