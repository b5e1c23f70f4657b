set -eu
python3 - <<'PYTHON'
from app import shown
from store import disk
assert not hasattr(disk, "load")
disk.save("a", "1")
assert disk.read_entry("a") == "1"
assert shown("a") == "a=1"
PYTHON
# json.load and load_all have other names.
grep -q 'json\.load(' store/disk.py
grep -q 'load_all' store/disk.py
if grep -Eq 'disk\.load\b|`load`|import load\b' -r README.md app.py report.py store; then exit 1; fi
grep -q 'read_entry' README.md
grep -q 'read_entry' report.py
