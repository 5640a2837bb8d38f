# SPDX-License-Identifier: MIT
"""What libnorm is measured against. Each gives, for a shape and arrays, calls without arguments; results go into memory
that was touched before. A peer that is missing says why."""
import ctypes as c
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def keep_memory():
    """Freed memory stays with the process: the packages allocate their results in every call, and the faults of fresh
    pages would cost them more than their arithmetic. (glibc's numbers for the two limits.)"""
    try:
        mallopt = c.CDLL(None).mallopt
    except AttributeError:
        return
    mallopt(-3, 1 << 30)  # M_MMAP_THRESHOLD
    mallopt(-1, (1 << 31) - 1)  # M_TRIM_THRESHOLD


class OneDnn:
    """Debian's libdnnl-dev, or another one that the compiler finds, through a few lines of C."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "onednn.so")
        compiler = shlex.split(os.environ.get("CC", "cc")) + shlex.split(os.environ.get("CFLAGS", ""))
        done = subprocess.run([*compiler, "-O2", "-shared", "-fPIC", os.path.join(HERE, "onednn.c"), "-ldnnl", "-o",
                               path], capture_output=True, text=True)
        if done.returncode != 0:
            raise ImportError(f"its program does not compile: {done.stderr.splitlines()[0] if done.stderr else '?'}")
        self.lib = c.CDLL(path)
        self.lib.peer_open.argtypes = [c.c_long, c.c_long, c.c_int]
        self.lib.peer_open.restype = c.c_void_p
        self.lib.peer_bind.argtypes = [c.c_void_p] * 4
        self.lib.peer_bind.restype = c.c_void_p
        self.lib.peer_run.argtypes = [c.c_void_p]
        self.lib.peer_implementation.argtypes = [c.c_void_p]
        self.lib.peer_implementation.restype = c.c_char_p
        numbers = (c.c_int * 3)()
        self.lib.peer_version(numbers)
        self.name = "oneDNN"
        self.version = ".".join(map(str, numbers))
        self.primitives = {}

    def describe(self):
        kinds = {self.lib.peer_implementation(p).decode() for p in self.primitives.values()}
        return f"oneDNN {self.version}" + (f", {', '.join(sorted(kinds))}" if kinds else "")

    def _bind(self, shape, backward, arrays):
        if (shape, backward) not in self.primitives:
            self.primitives[shape, backward] = self.lib.peer_open(*shape, backward)
        opened = self.primitives[shape, backward]
        words = self.lib.peer_bind(opened, *arrays, *[None] * (3 - len(arrays))) if opened else None
        if not words:
            sys.exit(f"oneDNN refused softmax of {shape}")
        run, words = self.lib.peer_run, c.c_void_p(words)

        def call():
            if run(words) != 0:
                sys.exit("oneDNN failed")
        return call

    def softmax(self, shape, z, w):
        return self._bind(shape, 0, [z.data_ptr, w.data_ptr])

    def softmax_vjp(self, shape, w, g, d):
        return self._bind(shape, 1, [w.data_ptr, g.data_ptr, d.data_ptr])


class Torch:
    def __init__(self):
        import torch
        torch.set_num_threads(1)
        self.torch, self.name = torch, "PyTorch"

    def describe(self):
        return f"PyTorch {self.torch.__version__}, {self.torch.backends.cpu.get_cpu_capability()}"

    def tensor(self, array):
        return self.torch.from_numpy(array.numpy)

    def softmax(self, shape, z, w):
        z, w, softmax = self.tensor(z), self.tensor(w), self.torch.softmax
        return lambda: softmax(z, -1, out=w)

    def softmax_vjp(self, shape, w, g, d):
        w, g, d = self.tensor(w), self.tensor(g), self.tensor(d)
        backward, kind = self.torch.ops.aten._softmax_backward_data.out, self.torch.float32
        return lambda: backward(g, w, -1, kind, grad_input=d)

    def attention(self, q, k, v, keep):
        """keep: a list that gets the result."""
        q, k, v = self.tensor(q), self.tensor(k), self.tensor(v)
        attend, torch = self.torch.nn.functional.scaled_dot_product_attention, self.torch

        def call():
            with torch.no_grad():
                keep[0] = attend(q, k, v, is_causal=True)
        return call

    def attention_backward(self, q, k, v, g, keep):
        """Gradients alone: what the forward pass saves for them is there before."""
        q, k, v = (self.tensor(a).clone().requires_grad_() for a in (q, k, v))
        out = self.torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        g, grad = self.tensor(g), self.torch.autograd.grad

        def call():
            keep[:] = grad(out, (q, k, v), g, retain_graph=True)
        return call


class Entmax:
    """The entmax package. It has no variants that write into given memory."""

    def __init__(self):
        from importlib.metadata import version
        import entmax
        import torch
        self.torch, self.name, self.version = torch, "entmax", version("entmax")
        self.functions = {"sparsemax": lambda z: entmax.sparsemax(z, -1), "entmax15": lambda z: entmax.entmax15(z, -1)}
        self.bisect = entmax.entmax_bisect

    def describe(self):
        return f"entmax {self.version}"

    def function(self, spec):
        """The package's function for one of our texts."""
        if spec == "sparsemax":
            return "sparsemax", self.functions["sparsemax"]
        alpha = float(spec.split("=")[1]) if "=" in spec else 1.5
        if alpha == 1.5:
            return "entmax15", self.functions["entmax15"]
        return "entmax_bisect", lambda z: self.bisect(z, alpha, -1)

    def forward(self, spec, z, keep):
        """keep: a list that gets the result, for comparing."""
        z, (_, function), torch = self.torch.from_numpy(z.numpy), self.function(spec), self.torch

        def call():
            with torch.no_grad():
                keep[0] = function(z)
        return call

    def backward(self, spec, z, g, keep):
        """Gradients alone: the forward pass is done before."""
        z = self.torch.from_numpy(z.numpy).clone().requires_grad_()
        g, grad = self.torch.from_numpy(g.numpy), self.torch.autograd.grad
        w = self.function(spec)[1](z)

        def call():
            keep[0], = grad(w, z, g, retain_graph=True)
        return call
