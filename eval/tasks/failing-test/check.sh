set -eu
python3 -m unittest -q
git diff --quiet -- test_money.py
