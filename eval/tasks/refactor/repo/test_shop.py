import unittest

from shop import cart_total, order_total


class Totals(unittest.TestCase):
    def test_of_an_order(self):
        self.assertEqual(order_total({"lines": [(2, 10), (3.5, 1)]}), 21.5)

    def test_of_a_cart(self):
        cart = [{"price": 2, "count": 10}, {"price": 3.5, "count": 1}]
        self.assertEqual(cart_total(cart), 21.5)
