set -eu
counted=$(awk '{ split($4, s, "="); split($5, m, "="); if (s[2] >= 500 && m[2] + 0 > 1000) n++ } END { print n }' logs/*.log)
test "$(tr -d '[:space:]' <count.txt)" = "$counted"
git diff --quiet
