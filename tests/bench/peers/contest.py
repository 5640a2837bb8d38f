# SPDX-License-Identifier: MIT
"""Two sides by turns, in one run: medians of the ratios within a round."""
import time


def quartiles(values):
    values = sorted(values)

    def at(share):
        place = share * (len(values) - 1)
        below = int(place)
        above = min(below + 1, len(values) - 1)
        return values[below] + (place - below) * (values[above] - values[below])
    return at(.25), at(.5), at(.75)


class Ring:
    """Slices that everybody takes by turns, so that a slice is always the one that was used longest ago."""

    def __init__(self, slices):
        self.slices, self.at = slices, 0

    def next(self):
        self.at = (self.at + 1) % self.slices
        return self.at


def sample(calls, ring, pieces, clock):
    start = clock()
    for _ in range(pieces):
        calls[ring.next()]()
    return (clock() - start) / pieces


def contest(sides, ring, seconds, rounds, budget, clock=time.thread_time):
    """sides: name to a list of calls, one a slice. Returns name to quartiles of the seconds a call, and of the ratio of
    its time to the first side's. seconds: of a sample; budget: of everything, for fewer rounds, 3 at least."""
    pieces, total = {}, 0
    for name, calls in sides.items():
        sample(calls, ring, 1, clock)
        once = sample(calls, ring, 1, clock)
        once = min(once, sample(calls, ring, max(1, int(seconds / 4 / max(once, 1e-7))), clock))
        pieces[name] = max(1, int(seconds / max(once, 1e-7)))
        total += once * pieces[name]
    rounds = max(3, min(rounds, int(budget / max(total, 1e-9))))
    times = {name: [] for name in sides}
    for _ in range(rounds):
        for name, calls in sides.items():
            sample(calls, ring, 1, clock)
            times[name].append(sample(calls, ring, pieces[name], clock))
    first = next(iter(times.values()))
    return {name: (quartiles(t), quartiles([a / b for a, b in zip(t, first)])) for name, t in times.items()}
