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


class Blas(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("suits", c.c_int32), ("reserved", c.c_int32),
                ("library", c.c_char * 32), ("kernel", c.c_char * 48), ("advice", c.c_char * 48)]


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
        memory = c.create_string_buffer(b"\1" * needed.value, needed.value + 1)
        run.workspace, run.workspace_size = c.addressof(memory), needed.value
        outputs = [None] if function is self.lib.norm_apply_f32 else []
        words = [handle, pointer(c.addressof(rows)), *(pointer(a) for a in arrays), *outputs,
                 pointer(c.addressof(run)), pointer(c.addressof(self.error))]

        def call():
            if function(*words) != 0:
                self.check(1)
        call.keeps = rows, run, memory
        return call

    def apply(self, spec, shape, z, w):
        return self._call(self.lib.norm_apply_f32, spec, shape, [z, w])

    def vjp(self, spec, shape, z, w, g, d):
        return self._call(self.lib.norm_vjp_f32, spec, shape, [z, w, g, d])
