"""What a download may cost."""

# Bytes.
LARGEST = 1 << 30


def attempts(kind):
    if kind == "download":
        return 5
    return 1
