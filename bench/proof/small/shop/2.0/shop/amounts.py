RoundingRule = "half-even"


def rounded(amount, digits=2):
    return round(amount, digits)
