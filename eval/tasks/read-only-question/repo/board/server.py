"""Serves the board."""

import os
import subprocess


def port():
    return int(os.environ.get("BOARD_PORT", "8000"))


def helper():
    # BOARD_DEBUG was read here once.
    return subprocess.Popen(["board-helper"], env={"BOARD_CHILD": "1"})
