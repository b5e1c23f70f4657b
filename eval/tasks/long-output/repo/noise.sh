awk 'BEGIN {
  for (i = 0; i < 20000; i++) {
    if (i == 13331) printf "ALARM code=%d\n", 7919 * 13 + 4
    else printf "line %d: nothing to see here, the alarm is off\n", i
  }
}'
