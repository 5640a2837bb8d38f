# SPDX-License-Identifier: MIT
"""Rows of scores in memory that everybody works on."""
import numpy as np

KINDS = ("normal", "normal3", "equal", "arithmetic", "geometric", "two-level", "sorted")
DIFFERENT = 1 << 18  # so many different numbers; a long ring repeats them


class Array:
    """float32, on a cache line, all pages touched."""

    def __init__(self, shape, shift):
        count = int(np.prod(shape))
        self.memory = np.ones(count + 16 + shift, np.float32)
        first = (-self.memory.ctypes.data // 4) % 16 + shift
        self.numpy = self.memory[first:first + count].reshape(shape)
        self.data_ptr = self.numpy.ctypes.data


def scores(kind, rows, n, seed):
    """The kinds of normlab bench."""
    draw, place = np.random.default_rng(seed), np.arange(n) / n
    if kind in ("normal", "normal3", "sorted"):
        z = draw.normal(0, 3 if kind == "normal3" else 1, (rows, n))
        return np.sort(z, -1) if kind == "sorted" else z
    if kind == "two-level":
        return draw.integers(0, 2, (rows, n))
    row = {"equal": np.ones(n), "arithmetic": 8 * place, "geometric": 8 * (1 - np.exp2(-20 * place))}[kind]
    return np.broadcast_to(row, (rows, n))


class Rows:
    """slices of rows x n numbers in z, w, g and d: hot is one slice, streaming more than the caches hold."""

    def __init__(self, kind, n, slice_bytes, ring_bytes, arrays):
        rows = max(1, slice_bytes // (4 * n * arrays))
        self.shape, self.slices = (rows, n), max(1, ring_bytes // (4 * n * arrays * rows))
        self.numbers = rows * n
        known = max(1, min(self.slices, DIFFERENT // self.numbers))
        first = scores(kind, known * rows, n, 1).reshape(known, rows, n)
        upstream = np.random.default_rng(2).normal(0, 1, (known, rows, n))
        self.z, self.w, self.g, self.d = ([] for _ in range(4))
        for i in range(self.slices):
            # Four arrays never lie a whole number of pages apart.
            z, w, g, d = (Array(self.shape, 272 * k) for k in range(4))
            z.numpy[:], g.numpy[:] = first[i % known], upstream[i % known]
            for name, array in zip("zwgd", (z, w, g, d)):
                getattr(self, name).append(array)
