MAX_ITEMS = 60


class Cart:
    """What somebody is about to buy."""

    def __init__(self):
        self.items = []

    def add(self, name, price):
        if not isinstance(name, str):
            raise TypeError("a name is text")
        if len(self.items) >= MAX_ITEMS:
            raise ValueError("the cart is full")
        self.items.append((name, price))

    def total(self):
        return sum(price for _, price in self.items)
