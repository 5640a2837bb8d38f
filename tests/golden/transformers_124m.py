#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libnorm against the transformers package: transformers_124m.py LIBNORM_SO [--time].

Makes a randomly initialised model of GPT-2's smallest published shape (124M numbers), saves it as that package does,
runs 1,024 random ids through both, and compares logits and some attention heads with the package's own pass in
double. --time prints medians of both. Exit code 77 where torch or transformers is missing.
"""
import ctypes
import os
import sys
import tempfile
import time

try:
    import numpy as np
    import torch
    import transformers
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

LENGTH, SEED = 1024, 20
HEADS = [(0, 0), (5, 7), (11, 11)]
LOGITS_WITHIN, ATTENTION_WITHIN = 1e-4, 1e-5
LOGITS_ALL = 1


class Error(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("status", ctypes.c_int32), ("where", ctypes.c_int64),
                ("text", ctypes.c_char * 496)]


class View(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("layer", ctypes.c_int32),
                ("head", ctypes.c_int32), ("first_row", ctypes.c_uint64), ("rows", ctypes.c_uint64),
                ("cols", ctypes.c_uint64), ("head_dim", ctypes.c_uint64), ("scores", ctypes.POINTER(ctypes.c_float)),
                ("weights", ctypes.POINTER(ctypes.c_float)), ("values", ctypes.POINTER(ctypes.c_float)),
                ("score_stride", ctypes.c_int64), ("weight_stride", ctypes.c_int64),
                ("value_stride", ctypes.c_int64), ("visible", ctypes.POINTER(ctypes.c_uint64))]


OBSERVER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(View))


class Run(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("normalizers", ctypes.c_void_p),
                ("normalizer_count", ctypes.c_uint64), ("logits", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("positions", ctypes.c_void_p), ("position_count", ctypes.c_uint64), ("observer", OBSERVER),
                ("observer_user", ctypes.c_void_p)]


class Model:
    """A model opened by libnorm."""

    def __init__(self, library, directory):
        self.lib = ctypes.CDLL(library)
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self.lib.norm_gpt2_open.argtypes = [ctypes.c_char_p, pointer, ctypes.POINTER(pointer), ctypes.POINTER(Error)]
        self.lib.norm_gpt2_forward.argtypes = [pointer, pointer, size, ctypes.POINTER(Run), pointer, pointer,
                                               ctypes.POINTER(Error)]
        self.lib.norm_gpt2_free.argtypes = [pointer]
        self.lib.norm_gpt2_free.restype = None
        self.error, self.handle = Error(struct_size=ctypes.sizeof(Error)), pointer()
        self.check(self.lib.norm_gpt2_open(os.fsencode(directory), None, ctypes.byref(self.handle),
                                           ctypes.byref(self.error)))

    def check(self, status):
        if status != 0:
            sys.exit(f"libnorm: {self.error.text.decode()}")

    def forward(self, ids, vocabulary, observer=None):
        logits = np.empty((len(ids), vocabulary), np.float32)
        run = Run(struct_size=ctypes.sizeof(Run), logits=LOGITS_ALL)
        if observer is not None:
            run.observer = observer
        self.check(self.lib.norm_gpt2_forward(self.handle, ids.ctypes.data, len(ids), ctypes.byref(run),
                                              logits.ctypes.data, None, ctypes.byref(self.error)))
        return logits

    def close(self):
        self.lib.norm_gpt2_free(self.handle)


def collector(kept):
    def look(_, pointer):
        view = pointer.contents
        wanted = kept.get((view.layer, view.head))
        if wanted is not None:
            rows = np.ctypeslib.as_array(view.weights, (view.rows, view.weight_stride))
            wanted[view.first_row:view.first_row + view.rows, :view.cols] = rows[:, :view.cols]
        return 0
    return OBSERVER(look)


def time_of(function, times=3):
    """Medians of the time on the clock and of the processors' time, which other programs disturb less."""
    clock, processors = [], []
    for _ in range(times):
        start = time.perf_counter(), time.process_time()
        function()
        clock.append(time.perf_counter() - start[0])
        processors.append(time.process_time() - start[1])
    return f"{sorted(clock)[times // 2]:.3f} s, {sorted(processors)[times // 2]:.3f} s of processor time"


def make(directory):
    torch.manual_seed(SEED)
    # Wider than the default, under which attention is close to uniform. Wider still, and float itself, the package's
    # as well, strays from double by as much as is allowed here.
    config = transformers.GPT2Config(initializer_range=0.06, attn_implementation="eager")
    model = transformers.GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
    model.save_pretrained(directory)
    return model


def report_times(ours, model, directory, ids, vocabulary):
    batch = torch.from_numpy(ids.astype(np.int64))[None]
    sdpa = transformers.GPT2LMHeadModel.from_pretrained(directory, attn_implementation="sdpa").eval()
    threads = int(os.environ.get("OPENBLAS_NUM_THREADS", os.cpu_count()))
    torch.set_num_threads(threads)
    print(f"all logits of {LENGTH} positions, {threads} threads in the products")
    print(f"libnorm: {time_of(lambda: ours.forward(ids, vocabulary))}")
    with torch.inference_mode():
        for name, other in (("eager", model), ("sdpa", sdpa)):
            # The package keeps keys and values by default; nobody needs them here.
            print(f"transformers, {name}: {time_of(lambda: other(batch, use_cache=False))}")


def main():
    library, timed = sys.argv[1], "--time" in sys.argv[2:]
    with tempfile.TemporaryDirectory() as directory:
        model = make(directory)
        vocabulary = model.config.vocab_size
        ids = np.random.default_rng(SEED).integers(0, vocabulary, LENGTH).astype(np.int32)
        ours = Model(library, directory)
        kept = {head: np.zeros((LENGTH, LENGTH), np.float32) for head in HEADS}
        logits = ours.forward(ids, vocabulary, collector(kept))
        if timed:
            report_times(ours, model, directory, ids, vocabulary)
        ours.close()
        batch = torch.from_numpy(ids.astype(np.int64))[None]
        with torch.inference_mode():
            single = model(batch, use_cache=False).logits[0].numpy()
            exact = model.double()(batch, use_cache=False, output_attentions=True)
    double = exact.logits[0].numpy()
    print(f"torch {torch.__version__}, transformers {transformers.__version__}; logits in "
          f"[{double.min():.2f}, {double.max():.2f}]")
    failed = False
    for name, value, limit in (
            ("logits, against double", np.abs(logits - double).max(), LOGITS_WITHIN),
            ("logits, against float", np.abs(logits - single).max(), LOGITS_WITHIN),
            ("logits, the package's float against its double", np.abs(single - double).max(), None)):
        failed |= limit is not None and not value <= limit
        print(f"{name}: {value:.3g}" + (f" (at most {limit:g})" if limit else ""))
    for (layer, head), ours_here in kept.items():
        right = exact.attentions[layer][0, head].numpy()
        value = np.abs(ours_here - right).max()
        failed |= not value <= ATTENTION_WITHIN
        print(f"attention of layer {layer}, head {head}: {value:.3g} (at most {ATTENTION_WITHIN:g}); "
              f"largest weight of the last row {right[-1].max():.3g}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
