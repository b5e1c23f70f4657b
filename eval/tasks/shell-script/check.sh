set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
touch -d '2020-01-01' "$folder/old"
touch -d '2021-01-01' "$folder/a b"
touch -d '2022-01-01' "$folder/new"
mkdir "$folder/sub"
test "$(sh bin/newest.sh "$folder" 2)" = "$(printf 'new\na b')"
test "$(sh bin/newest.sh "$folder" 9 | wc -l)" -eq 3
code=0
sh bin/newest.sh >../printed 2>../said || code=$?
test "$code" -eq 2
test -s ../said
test ! -s ../printed
