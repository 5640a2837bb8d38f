# SPDX-License-Identifier: MIT
"""The built library through ctypes: row operations, and what the machine is."""
import ctypes as c
import sys

pointer, size = c.c_void_p, c.c_size_t


class Error(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("status", c.c_int32), ("where", c.c_int64), ("text", c.c_char * 496)]


class Exec(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("threads", c.c_int32), ("cpu_level", c.c_int32),
                ("workspace", pointer), ("workspace_size", c.c_uint64), ("allocator", pointer),
                ("parallel_user", pointer), ("parallel_for", pointer), ("progress_user", pointer),
                ("progress", pointer)]


class Rows(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("batch", c.c_uint64), ("rows", c.c_uint64),
                ("cols", c.c_uint64), ("z_stride", c.c_int64 * 3), ("w_stride", c.c_int64 * 3),
                ("g_stride", c.c_int64 * 3), ("d_stride", c.c_int64 * 3), ("causal_offset", c.c_int64),
                ("begin", pointer), ("end", pointer), ("interval_stride", c.c_int64 * 2), ("visible", pointer),
                ("visible_stride", c.c_int64 * 3)]


class Attention(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("batch", c.c_uint64), ("heads", c.c_uint64),
                ("kv_heads", c.c_uint64), ("queries", c.c_uint64), ("keys", c.c_uint64), ("head_dim", c.c_uint64),
                ("value_dim", c.c_uint64), ("scale", c.c_double), ("q_stride", c.c_int64 * 3),
                ("k_stride", c.c_int64 * 3), ("v_stride", c.c_int64 * 3), ("out_stride", c.c_int64 * 3),
                ("weight_stride", c.c_int64 * 3), ("causal_offset", c.c_int64), ("begin", pointer), ("end", pointer),
                ("interval_stride", c.c_int64 * 3), ("visible", pointer), ("visible_stride", c.c_int64 * 4),
                ("normalizers", pointer), ("normalizer_count", c.c_uint64)]


ATTENTION_CAUSAL = 1


class Blas(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("suits", c.c_int32), ("reserved", c.c_int32),
                ("library", c.c_char * 32), ("kernel", c.c_char * 48), ("advice", c.c_char * 48)]


def give_workspace(run, needed):
    """Memory that was touched, for a call to use instead of allocating it."""
    memory = c.create_string_buffer(b"\1" * needed, needed + 1)
    run.workspace, run.workspace_size = c.addressof(memory), needed
    return memory


class Library:
    def __init__(self, path, level):
        self.lib = c.CDLL(path)
        self.error = Error(struct_size=c.sizeof(Error))
        self.exec = Exec(struct_size=c.sizeof(Exec))
        lib, errors = self.lib, c.POINTER(Error)
        lib.norm_normalizer_parse.argtypes = [c.c_char_p, size, pointer, c.POINTER(pointer), errors]
        lib.norm_apply_f32.argtypes = [pointer] * 7
        lib.norm_vjp_f32.argtypes = [pointer] * 8
        lib.norm_apply_workspace.argtypes = [pointer, pointer, pointer, c.POINTER(size)]
        lib.norm_attention_forward_f32.argtypes = [pointer] * 9
        lib.norm_attention_backward_f32.argtypes = [pointer] * 10
        lib.norm_attention_workspace.argtypes = [pointer, pointer, c.POINTER(size), errors]
        lib.norm_cpu_level_parse.argtypes = [c.c_char_p, c.POINTER(c.c_int32), errors]
        lib.norm_cpu_level_name.restype = c.c_char_p
        lib.norm_version_number.restype = c.c_uint32
        wanted = c.c_int32()
        self.check(lib.norm_cpu_level_parse(level.encode(), c.byref(wanted), c.byref(self.error)))
        self.exec.cpu_level = wanted.value
        best = lib.norm_cpu_level()
        if wanted.value > best:
            sys.exit(f"--level {level}: this machine has {lib.norm_cpu_level_name(best).decode()}")
        self.level = lib.norm_cpu_level_name(wanted.value or best).decode()

    def check(self, status):
        if status != 0:
            sys.exit(f"libnorm: {self.error.text.decode()}")

    def version(self):
        number = self.lib.norm_version_number()
        return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"

    def blas(self):
        about = Blas(struct_size=c.sizeof(Blas))
        self.lib.norm_blas_describe(c.byref(about), None)
        return f"{about.library.decode()} {about.kernel.decode()}".strip()

    def normalizer(self, spec):
        handle = pointer()
        self.check(self.lib.norm_normalizer_parse(spec.encode(), len(spec), None, c.byref(handle),
                                                  c.byref(self.error)))
        return handle

    def _call(self, function, spec, shape, arrays):
        """A function without arguments: everything that Python can do before is done here, workspace included."""
        handle = self.normalizer(spec)
        rows = Rows(struct_size=c.sizeof(Rows), batch=1, rows=shape[0], cols=shape[1])
        run = Exec.from_buffer_copy(self.exec)
        needed = size()
        self.check(self.lib.norm_apply_workspace(handle, c.addressof(rows), c.addressof(run), c.byref(needed)))
        memory = give_workspace(run, needed.value)
        outputs = [None] if function is self.lib.norm_apply_f32 else []
        words = [handle, pointer(c.addressof(rows)), *(pointer(a) for a in arrays), *outputs]
        return self._bind(function, words, run, (rows, memory))

    def _bind(self, function, words, run, keeps):
        words = [*words, pointer(c.addressof(run)), pointer(c.addressof(self.error))]

        def call():
            if function(*words) != 0:
                self.check(1)
        call.keeps = run, keeps
        return call

    def attention(self, heads, length, width, arrays, backward):
        """Softmax over the keys up to each query. arrays: q, k, v, out; backward: q, k, v, upstream, dq, dk, dv."""
        what = Attention(struct_size=c.sizeof(Attention), flags=ATTENTION_CAUSAL, batch=1, heads=heads,
                         queries=length, keys=length, head_dim=width)
        run, needed = Exec.from_buffer_copy(self.exec), size()
        self.check(self.lib.norm_attention_workspace(c.addressof(what), c.addressof(run), c.byref(needed),
                                                     c.byref(self.error)))
        memory = give_workspace(run, needed.value)
        words = [pointer(c.addressof(what)), *(pointer(a) for a in arrays)]
        if backward:
            return self._bind(self.lib.norm_attention_backward_f32, words, run, (what, memory))
        return self._bind(self.lib.norm_attention_forward_f32, [*words, None, None], run, (what, memory))

    def apply(self, spec, shape, z, w):
        return self._call(self.lib.norm_apply_f32, spec, shape, [z, w])

    def vjp(self, spec, shape, z, w, g, d):
        return self._call(self.lib.norm_vjp_f32, spec, shape, [z, w, g, d])
