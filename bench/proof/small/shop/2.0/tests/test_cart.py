from shop.cart import Cart


def test_total():
    cart = Cart()
    cart.add("tea", 4)
    assert cart.total() == 4
