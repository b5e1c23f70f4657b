"""Cuts lists into pages."""


def pages(total, size):
    """How many pages `total` items have with `size` items on each."""
    return total // size + 1


def page(items, number, size):
    """The items of one page, counted from 0."""
    return items[number * size : (number + 1) * size]
