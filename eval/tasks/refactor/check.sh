set -eu
python3 -m unittest -q
git diff --quiet -- test_shop.py
# The discount stands in one place.
test "$(grep -c '0\.9' shop.py)" -eq 1
test "$(grep -c '^def ' shop.py)" -ge 3
