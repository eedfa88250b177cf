class OrderRefused(ValueError):
    """Somebody ordered what cannot be ordered."""


def place(cart, address):
    if not isinstance(address, str):
        raise OrderRefused("an address is text")
    return {"items": list(cart.items), "address": address, "state": "placed"}
