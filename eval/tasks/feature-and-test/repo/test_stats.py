import unittest

from stats import mean


class Mean(unittest.TestCase):
    def test_of_some(self):
        self.assertEqual(mean([1, 2, 6]), 3)

    def test_no_numbers_have_none(self):
        with self.assertRaises(ValueError):
            mean([])
