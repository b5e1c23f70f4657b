set -eu
python3 - <<'PYTHON'
from stats import median
given = [3, 1, 2]
assert median(given) == 2 and given == [3, 1, 2]
assert median([4, 1, 3, 2]) == 2.5
assert median([7]) == 7
try:
    median([])
except ValueError:
    pass
else:
    raise AssertionError("no numbers have no median")
PYTHON
python3 -m unittest -q
grep -q 'median' test_stats.py
