set -eu
python3 - <<'PYTHON'
import json
package = json.load(open("package.json"))
assert package["version"] == "1.5.0"
assert package["dependencies"] == {"left": "1.4.2"}
text = open("pyproject.toml").read()
assert 'version = "1.5.0"' in text and '"httpx>=0.27"' in text
assert "# One of them has to stay below 3." in text
assert 'legacy = "1.4.2"' in text
PYTHON
test "$(git diff --numstat -- package.json | cut -f1,2)" = "$(printf '1\t1')"
test "$(git diff --numstat -- pyproject.toml | cut -f1)" -le 3
