"""Amounts in cents as text."""


def shown(cents):
    return f"{cents // 100}.{cents % 100:02}"
