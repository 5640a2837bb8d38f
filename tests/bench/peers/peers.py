#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libnorm beside oneDNN, PyTorch and the entmax package: same rows, same run, by turns, one thread each.

    python3 -m venv venv
    venv/bin/pip install torch==2.13.0 entmax numpy
    apt-get install libdnnl-dev                      # oneDNN, with a C compiler
    venv/bin/python tests/bench/peers/peers.py build/libnorm/libnorm.so

A peer that is missing is left out by name; numpy is needed. Prints, a line each: nanoseconds a number of libnorm and of
the peer, medians, and how many times as long the peer takes, with quartiles. Both are called once a slice from Python,
with everything prepared; that alone is printed first. Results are compared, too: a peer that computes something else
would be no measure. `--only softmax --lengths 1024 65536` measures less.
"""
import argparse
import os
import sys
import time


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", help="libnorm.so")
    parser.add_argument("--only", nargs="+", metavar="PART", help="softmax, sparse, bisect, attention")
    parser.add_argument("--lengths", nargs="+", type=int, metavar="N")
    parser.add_argument("--scores", nargs="+", metavar="KIND", help="of sparse and bisect: kinds of normlab bench")
    parser.add_argument("--sets", nargs="+", default=["hot", "streaming"], metavar="SET", help="hot, streaming")
    parser.add_argument("--level", default="best", help="for all: best, avx2")
    parser.add_argument("--hot", type=int, default=512, metavar="KIB")
    parser.add_argument("--streaming", type=int, default=128, metavar="MIB")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--budget", type=float, default=1.0, metavar="SECONDS", help="of one comparison")
    return parser.parse_args()


arguments = read_arguments()
sys.dont_write_bytecode = True
# Before anything is loaded: one thread each, and the same instruction set.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
if arguments.level == "avx2":
    os.environ["DNNL_MAX_CPU_ISA"] = "AVX2"
    os.environ["ATEN_CPU_CAPABILITY"] = "avx2"

import numpy as np  # noqa: E402

from contest import Ring, contest  # noqa: E402
from libnorm import Library  # noqa: E402
from others import Entmax, OneDnn, Torch, keep_memory  # noqa: E402
from rows import KINDS, Array, Rows  # noqa: E402

SOFTMAX_LENGTHS = (64, 128, 256, 1024, 4096, 16384, 65536)
ATTENTION_LENGTHS, HEADS, WIDTH = (256, 1024, 4096), 4, 64
SPARSE_LENGTHS = (256, 1024, 4096, 131072)
BISECT_ALPHAS = (1.05, 1.25, 1.3, 1.75)  # at 1.25 the power is a whole number
WITHIN = {"softmax": 1e-6, "softmax vjp": 1e-5, "sparse": 2e-5, "sparse vjp": 1e-3,
          "attention": 1e-5, "attention, backward": 1e-4}
FEW = 1e-3  # of all entries: gradients jump where a weight is 0 here and 1e-8 there


def processor():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown processor"


def open_peers():
    found = {}
    for name, kind in (("oneDNN", OneDnn), ("PyTorch", Torch), ("entmax", Entmax)):
        try:
            found[name] = kind()
        except (ImportError, OSError) as why:
            print(f"left out: {name}: {why}")
    return found


def make_rows(kind, n, set_name, arrays):
    hot = arguments.hot << 10
    if set_name == "hot":
        return Rows(kind, n, hot, hot, arrays)
    return Rows(kind, n, min(hot, 1 << 18), arguments.streaming << 20, arrays)


def compare(what, ours, theirs, within):
    """The largest difference of two arrays; stops where it is too large."""
    largest = float(np.abs(ours - theirs).max())
    if not largest <= within:
        sys.exit(f"{what}: the results differ by {largest:.3g}, more than {within:g}")


def compare_most(what, ours, theirs, within):
    """The same for all entries but a few."""
    share = float((np.abs(ours - theirs) > within).mean())
    if not share <= FEW:
        sys.exit(f"{what}: {100 * share:.3g} % of the entries differ by more than {within:g}")


def show(what, set_name, rows, sides):
    tell(f"{what:44} {set_name:9} n {rows.shape[1]:7}", rows.numbers, Ring(rows.slices), sides)


def tell(what, numbers, ring, sides):
    result = contest(sides, ring, 4e-3, arguments.rounds, arguments.budget)
    ours = result["libnorm"][0][1] / numbers * 1e9
    for name, (times, ratio) in result.items():
        if name != "libnorm":
            print(f"{what}  libnorm {ours:8.4f} ns  {name:14} {times[1] / numbers * 1e9:9.4f} ns  "
                  f"x {ratio[1]:7.2f} ({ratio[0]:.2f} {ratio[2]:.2f})", flush=True)


def softmax(ours, peers, set_name, n):
    rows = make_rows("normal", n, set_name, 2)
    sides = {"libnorm": [ours.apply("softmax", rows.shape, z.data_ptr, w.data_ptr) for z, w in zip(rows.z, rows.w)]}
    sides["libnorm"][0]()
    expected = rows.w[0].numpy.copy()
    for name, peer in peers.items():
        if hasattr(peer, "softmax"):
            sides[name] = [peer.softmax(rows.shape, z, w) for z, w in zip(rows.z, rows.w)]
            sides[name][0]()
            compare(name, expected, rows.w[0].numpy, WITHIN["softmax"])
    show("softmax", set_name, rows, sides)


def softmax_vjp(ours, peers, set_name, n):
    rows = make_rows("normal", n, set_name, 3)
    arrays = list(zip(rows.z, rows.w, rows.g, rows.d))
    for z, w, _, _ in arrays:
        ours.apply("softmax", rows.shape, z.data_ptr, w.data_ptr)()
    sides = {"libnorm": [ours.vjp("softmax", rows.shape, *(a.data_ptr for a in four)) for four in arrays]}
    sides["libnorm"][0]()
    expected = rows.d[0].numpy.copy()
    for name, peer in peers.items():
        if hasattr(peer, "softmax_vjp"):
            sides[name] = [peer.softmax_vjp(rows.shape, *four[1:]) for four in arrays]
            sides[name][0]()
            compare(name, expected, rows.d[0].numpy, WITHIN["softmax vjp"])
    show("softmax, vjp", set_name, rows, sides)


def sparse(ours, peers, spec, kind, set_name, n):
    """Against the package, and against our own softmax."""
    peer = peers["entmax"]
    rows = make_rows(kind, n, set_name, 2)
    arrays, kept = list(zip(rows.z, rows.w)), [None]
    sides = {"libnorm": [ours.apply(spec, rows.shape, z.data_ptr, w.data_ptr) for z, w in arrays]}
    theirs = peer.function(spec)[0]
    sides[theirs] = [peer.forward(spec, z, kept) for z in rows.z]
    sides["libnorm"][0]()
    sides[theirs][0]()
    compare(f"{spec} on {kind}", rows.w[0].numpy, kept[0].numpy(), WITHIN["sparse"])
    show(f"{spec}, {kind}", set_name, rows, sides)

    rows = make_rows(kind, n, set_name, 3)
    arrays = list(zip(rows.z, rows.w, rows.g, rows.d))
    for z, w, _, _ in arrays:
        ours.apply(spec, rows.shape, z.data_ptr, w.data_ptr)()
    sides = {"libnorm": [ours.vjp(spec, rows.shape, *(a.data_ptr for a in four)) for four in arrays],
             theirs: [peer.backward(spec, z, g, kept) for z, _, g, _ in arrays]}
    sides["libnorm"][0]()
    sides[theirs][0]()
    compare_most(f"{spec} on {kind}, vjp", rows.d[0].numpy, kept[0].numpy(), WITHIN["sparse vjp"])
    show(f"{spec}, {kind}, vjp", set_name, rows, sides)


def attention(ours, peers, n):
    """Softmax, each query sees the keys up to itself; a number here is a score that is seen."""
    peer, kept = peers["PyTorch"], [None]
    arrays = [Array((1, HEADS, n, WIDTH), 272 * i) for i in range(8)]
    for seed, array in enumerate(arrays):
        array.numpy[:] = np.random.default_rng(seed).normal(0, 1, array.numpy.shape)
    q, k, v, out, upstream, *gradients = arrays
    numbers = HEADS * n * (n + 1) / 2
    places = [a.data_ptr for a in (q, k, v, out)]
    sides = {"libnorm": [ours.attention(HEADS, n, WIDTH, places, False)], "PyTorch": [peer.attention(q, k, v, kept)]}
    sides["libnorm"][0]()
    sides["PyTorch"][0]()
    compare("attention", out.numpy, kept[0].numpy(), WITHIN["attention"])
    tell(f"{'attention':54} n {n:7}", numbers, Ring(1), sides)

    places = [a.data_ptr for a in (q, k, v, upstream, *gradients)]
    sides = {"libnorm": [ours.attention(HEADS, n, WIDTH, places, True)],
             "PyTorch": [peer.attention_backward(q, k, v, upstream, kept)]}
    sides["libnorm"][0]()
    sides["PyTorch"][0]()
    for mine, theirs in zip(gradients, kept):
        compare("attention, backward", mine.numpy, theirs.numpy(), WITHIN["attention, backward"])
    tell(f"{'attention, backward':54} n {n:7}", numbers, Ring(1), sides)


def overhead(ours, peers):
    """What a call from Python costs each of them: one row of one number."""
    rows = Rows("normal", 1, 1, 1, 2)
    sides = {"libnorm": [ours.apply("softmax", rows.shape, rows.z[0].data_ptr, rows.w[0].data_ptr)]}
    for name, peer in peers.items():
        if hasattr(peer, "softmax"):
            sides[name] = [peer.softmax(rows.shape, rows.z[0], rows.w[0])]
    result = contest(sides, Ring(1), 4e-3, arguments.rounds, arguments.budget)
    times = ", ".join(f"{name} {times[1] * 1e6:.1f} us" for name, (times, _) in result.items())
    print(f"a call with a single number: {times}")


def main():
    keep_memory()
    ours, peers = Library(arguments.library, arguments.level), open_peers()
    every = ["softmax", "sparse", "bisect", "attention"]
    parts = arguments.only or every
    unknown = set(parts) - set(every) | set(arguments.scores or ()) - set(KINDS) | \
        set(arguments.sets) - {"hot", "streaming"}
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}")
    print(f"{processor()}; libnorm {ours.version()}, CPU level {ours.level}, BLAS {ours.blas()}")
    overhead(ours, peers)
    started = time.monotonic()
    for set_name in arguments.sets:
        for n in arguments.lengths or SOFTMAX_LENGTHS if "softmax" in parts else ():
            softmax(ours, peers, set_name, n)
            softmax_vjp(ours, peers, set_name, n)
        for part, specs in (("sparse", ["sparsemax", "entmax"]), ("bisect", [f"entmax:alpha={a}" for a in
                                                                            BISECT_ALPHAS])):
            for n in arguments.lengths or SPARSE_LENGTHS if part in parts and "entmax" in peers else ():
                for kind in arguments.scores or ("normal", "normal3"):
                    for spec in specs:
                        sparse(ours, peers, spec, kind, set_name, n)
    for n in arguments.lengths or ATTENTION_LENGTHS if "attention" in parts and "PyTorch" in peers else ():
        attention(ours, peers, n)
    for peer in peers.values():
        print(peer.describe())
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
