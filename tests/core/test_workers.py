"""What is done on threads of our own leaves the host's process as it was."""

import random

from hindsight_core.workers import jittered


def test_pauses_leave_the_hosts_random_numbers_alone():
    random.seed(5)
    expected = random.random()
    random.seed(5)
    assert 1.0 <= jittered(2.0) <= 2.0
    assert random.random() == expected
