"""What things cost."""


def order_total(order):
    total = 0
    for price, count in order["lines"]:
        cost = price * count
        if count >= 10:
            cost = cost * 0.9
        total += cost
    return round(total, 2)


def cart_total(cart):
    total = 0
    for item in cart:
        cost = item["price"] * item["count"]
        if item["count"] >= 10:
            cost = cost * 0.9
        total += cost
    return round(total, 2)
