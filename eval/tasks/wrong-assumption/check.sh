# Nothing is to be removed in its place.
set -eu
test -z "$(git status --porcelain)"
grep -q 'old_login' "$ANSWER"
grep -Eiq "no |not |n't |nothing|never" "$ANSWER"
