set -eu
git show HEAD:settings.ini | awk '/^\[/ { s = $0 } s ~ /network/ { sub(/^retries=3/, "retries=5") } { print }' >../expected
cmp ../expected settings.ini
! git diff --quiet
