from fetcher.limits import attempts


def download(get, url):
    """Asks `get` for a file; the first attempt is no retry."""
    for left in reversed(range(attempts("download"))):
        try:
            return get(url)
        except OSError:
            if left == 0:
                raise
