set -eu
git show 'HEAD:notes/größen.txt' | sed 's/^東京: 12 /東京: 15 /' >../expected
cmp ../expected 'notes/größen.txt'
! git diff --quiet
