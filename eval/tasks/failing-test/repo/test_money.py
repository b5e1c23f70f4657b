import unittest

from money import shown


class Shown(unittest.TestCase):
    def test_amounts_above_nothing(self):
        self.assertEqual(shown(1234), "12.34")

    def test_amounts_below_a_whole(self):
        self.assertEqual(shown(7), "0.07")

    def test_debts_keep_their_sign_and_their_cents(self):
        self.assertEqual(shown(-1234), "-12.34")
        self.assertEqual(shown(-5), "-0.05")


if __name__ == "__main__":
    unittest.main()
