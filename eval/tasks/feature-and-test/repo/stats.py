"""Figures of lists."""


def mean(numbers):
    if not numbers:
        raise ValueError("no numbers")
    return sum(numbers) / len(numbers)
