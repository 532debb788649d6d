"""What the tests of servers share with their fixtures."""

import random
import socket


def free_port():
    """A port of loopback for a server that binds it later.

    Of those that the system gives to no client: else any connection could have it meanwhile.
    """
    numbers = random.SystemRandom()  # which no test seeds
    while True:
        port = numbers.randrange(20_000, 32_000)
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
