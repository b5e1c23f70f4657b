set -eu
python3 - <<'PYTHON'
from pager import pages
expected = {(0, 5): 0, (1, 5): 1, (5, 5): 1, (6, 5): 2, (10, 5): 2, (11, 5): 3, (7, 1): 7}
for (total, size), count in expected.items():
    assert pages(total, size) == count, (total, size, pages(total, size))
PYTHON
test "$(git diff --name-only)" = pager.py
