from store.disk import load


def values(keys):
    return [load(key) for key in keys]
