"""Values in one file."""

import json
import os

PLACE = os.environ.get("STORE", "store.json")


def load_all():
    if not os.path.exists(PLACE):
        return {}
    with open(PLACE) as file:
        return json.load(file)


def load(key):
    return load_all()[key]


def save(key, value):
    everything = load_all()
    everything[key] = value
    with open(PLACE, "w") as file:
        json.dump(everything, file)
