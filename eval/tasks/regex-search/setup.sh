# Three days of requests; the numbers only look random.
set -eu
mkdir -p logs
for day in 1 2 3; do
  awk -v day=$day 'BEGIN {
    for (i = 0; i < 400; i++) {
      n = (i * 7919 + day * 104729) % 10007
      status = (n % 11 == 0) ? 500 + n % 4 : ((n % 5 == 0) ? 404 : 200)
      ms = (n % 3 == 0) ? 1000 + n % 2 * n : n % 1000
      printf "2026-03-%02d req=%d path=/v%d/items status=%d ms=%d\n", day, i, n % 3, status, ms
    }
  }' >logs/day-$day.log
done
