from store import disk


def shown(key):
    return f"{key}={disk.load(key)}"
