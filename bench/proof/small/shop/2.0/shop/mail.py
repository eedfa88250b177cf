SENDER = "orders@shop.example"


def confirmation(order):
    lines = [str(name) for name, _ in order["items"]]
    return "From: %s\n\n%s" % (SENDER, "\n".join(lines))
