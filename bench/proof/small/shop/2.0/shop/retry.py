import time


def fetch(url, opener, *, attempts=5, growth=2.0):
    """Ask again when the network does not answer, more and more patiently."""
    pause = 0.1
    for attempt in range(attempts):
        try:
            return opener(url)
        except OSError:
            time.sleep(pause)
            pause *= growth
    raise OSError(url)
