# Old settings, read by nothing since the limits have a file of their own.
RETRIES = 7
TIMEOUT = 30
