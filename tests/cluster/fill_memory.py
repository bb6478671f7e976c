"""Fills the memory of one worker beyond its limit: python fill_memory.py ADDRESS WORKER."""

import sys
import time

from distributed import Client


def fill():
    """Take memory until the nanny ends this process."""
    taken = []
    while True:
        taken.append(bytearray(50 << 20))
        time.sleep(0.02)


if __name__ == "__main__":
    with Client(sys.argv[1], timeout=60) as client:
        client.submit(fill, workers=[sys.argv[2]], retries=0, pure=False)
        time.sleep(15)
