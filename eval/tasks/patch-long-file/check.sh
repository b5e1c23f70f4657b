set -eu
python3 - <<'PYTHON'
from services import SERVICES
changed = {"service-007", "service-063", "service-118"}
for name, service in SERVICES.items():
    assert service["timeout"] == (45 if name in changed else 30), name
assert len(SERVICES) == 120
PYTHON
test "$(git diff --numstat | cut -f1,2)" = "$(printf '3\t3')"
