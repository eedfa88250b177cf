import time


def fetch(url, opener, attempts=3, pause=0.5):
    """Ask again when the network does not answer."""
    for attempt in range(attempts):
        try:
            return opener(url)
        except OSError:
            time.sleep(pause)
    raise OSError(url)
