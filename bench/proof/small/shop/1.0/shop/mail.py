from .compat import text_type

SENDER = "orders@shop.example"


def confirmation(order):
    lines = [text_type(name) for name, _ in order["items"]]
    return "From: %s\n\n%s" % (SENDER, "\n".join(lines))
