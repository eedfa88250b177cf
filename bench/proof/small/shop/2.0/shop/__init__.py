"""A shop, small enough to be read at once."""
