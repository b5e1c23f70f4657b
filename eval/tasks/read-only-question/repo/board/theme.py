import os


def theme():
    return os.getenv("BOARD_THEME") or "light"


def place():
    return os.path.join(os.environ["HOME"], ".board")
