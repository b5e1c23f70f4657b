# The end of the run would end the server as well: that it was ended before stands
# in the events.
set -eu
test -s token.txt
grep -qx "$(cat token.txt)" given.log
grep '"type":"tool_use"' "$EVENTS" | grep -Eq '"action":"kill"|kill '
git diff --quiet
