"""Who is here."""

PRESENT = set()


def login(name):
    PRESENT.add(name)


def logout(name):
    PRESENT.discard(name)
