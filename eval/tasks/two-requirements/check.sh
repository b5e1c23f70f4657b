set -eu
python3 - <<'PYTHON'
from slug import slug
assert slug("Hello World") == "hello-world"
assert slug("  A  --  B  ") == "a-b"
assert slug("C++ & Rust!") == "c-rust"
assert slug("") == "untitled" and slug("!!!") == "untitled"
long = slug("one two three four five six seven")
assert long == "one-two-three-four", long
assert len(slug("x" * 50)) == 20
assert slug("abcdefghij klmnopqrs tuv") == "abcdefghij-klmnopqrs"
PYTHON
git diff --quiet -- docs
