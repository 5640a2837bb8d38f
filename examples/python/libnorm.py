# SPDX-License-Identifier: MIT
"""libnorm from Python: one file over ctypes and NumPy, to be copied or installed.

Names are those of the C headers, where each is described in full; this file checks arrays, fills structs and turns
failures into exceptions with the library's own text. Arrays of float32 or float64 in any layout with whole strides are
used where they lie; anything else is refused, never converted in silence.
"""
from __future__ import annotations

import ctypes as c
import os
import threading
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

__all__ = ["Error", "Normalizer", "attention", "attention_backward", "Tokenizer", "GPT2", "registry", "version"]

# A letter for the result, then one an argument: i u 32 bits, I U 64 bits, z size_t, d double, p pointer, s text,
# v void.
_SIGNATURES = """
Up: normalizer_properties
i: cpu_level
iUUdipp: critical_start
iUUzpp: measure_direction
idddpp: bound_softmax_sensitivity_range
iddpp: bound_simplex_sensitivity bound_softmax_sensitivity
iddppp: bound_softmax_change
idpp: bound_softmax_entry bound_softmax_gradient bound_softmax_gradient_published
ipi: normalizer_supports
ipiidUUp: distance_record_init
ipiidddp: sensitivity_record_init
ipiidp: head_record_init
ipippp: tokenizer_token
ipp: blas_describe distance_observe head_observe
ippp: bound_expected_distance_limit_published distance_meter_open distance_record_add gpt2_get_shape head_record_add
    sensitivity_record_add
ipppIdpp: distance_meter_add
ipppp: apply_workspace attention_workspace
ipppppp: check_gradients jacobian_norms_f32 jacobian_norms_f64
ippppppp: apply_f32 apply_f64 jacobian_f32 jacobian_f64 log_apply_f32 log_apply_f64
ipppppppp: jvp_f32 jvp_f64 log_vjp_f32 log_vjp_f64 loss_against_f32 loss_against_f64 loss_f32 loss_f64 vjp_f32
    vjp_f64
ippppppppp: attention_forward_f32 hvp_f32 hvp_f64
ipppppppppp: attention_backward_f32
ipppppsppp: param_vjp_f32 param_vjp_f64
ippzp: normalizer_spec
ippzpp: tokenizer_id
ippzpppp: gpt2_forward gpt2_loss
ippzpzpp: tokenizer_decode
ippzupzppp: tokenizer_encode
ipsdpp: normalizer_with
ipsp: normalizer_get
ipsppp: normalizer_from_family normalizer_from_row_function
ipzp: log_sum_exp_f32 log_sum_exp_f64 softmax_f32 softmax_f64 sparsemax_f32 sparsemax_f64
ipzpp: bound_expected_distance_additive bound_expected_distance_cap bound_expected_square distance_summarize
    head_summarize sensitivity_summarize tokenizer_encode_workspace
ipzppp: bound_expected_distance
ipzpppp: bound_expected_distance_limit gpt2_workspace
ipzppppp: critical_tell
ipzpzppp: gpt2_open_memory tokenizer_open_memory
is: has_feature
ispp: cpu_level_parse
isppp: gpt2_open tokenizer_open
isppzzdpp: bound_normalizer_gradient
iszppp: normalizer_parse
izddddppp: bound_weight_entry bound_weight_ssmax
izdddpp: bound_family_lemma
izdddppp: bound_weight_norms
izddppp: bound_weight_family bound_weight_lemma bound_weight_softmax
izdpp: bound_coverage
izpdddpp: bound_separable_count bound_separable_lower_spread bound_separable_upper_published
izpddpp: bound_separable_spread
izpdpp: bound_jacobian_entry bound_jacobian_frobenius bound_jacobian_row bound_jacobian_spectral
    bound_softmax_second_moment
izpdppp: bound_jacobian_spectral_range measure_spectral
izpdzdippp: bound_separable_lower bound_separable_upper
izpdzpppppp: bound_separable_moments
izpp: registry_get
izppddpp: bound_softmax_difference
izppddppp: measure_sensitivity
izppdpp: measure_change
izppipp: bound_family_gradient
izpppp: bound_jacobian_balanced_quick measure_line
izppppp: bound_jacobian_balanced measure_balanced
izpzpdppp: measure_ks
izpzpp: bound_select_top measure_order
izzpp: bound_workspace measure_ks_workspace measure_workspace registry_key
izzppIppp: bound_distance_published bound_distance_theorem
izzppIpppp: bound_distance bound_distance_moments bound_distance_sandwich bound_random_set
izzppIppppp: bound_distance_value
izzppIzdpppp: measure_inside
izzppIzppp: bound_expected_distance_published
izzppIzuppp: measure_distance
pp: gpt2_ref normalizer_ref tokenizer_ref
si: cpu_level_name status_name
u: version_number
vp: distance_meter_free gpt2_free normalizer_free tokenizer_free
z: registry_count
zp: tokenizer_size
"""
_TYPES = {"i": c.c_int32, "u": c.c_uint32, "I": c.c_int64, "U": c.c_uint64, "z": c.c_size_t, "d": c.c_double,
          "f": c.c_float, "p": c.c_void_p, "s": c.c_char_p, "v": None}


def _struct(name: str, *fields: tuple) -> type:
    """A struct that starts with its size and flags, as all of the library's do."""
    def init(self, **values):
        c.Structure.__init__(self, struct_size=c.sizeof(self), **values)
    return type(name, (c.Structure,), {"_fields_": [("struct_size", c.c_uint32), ("flags", c.c_uint32), *fields],
                                       "__init__": init})


def _all(kind: Any, names: str) -> list:
    return [(name, kind) for name in names.split()]


class _ErrorStruct(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("status", c.c_int32), ("where", c.c_int64), ("text", c.c_char * 496)]


_P, _I3 = c.c_void_p, c.c_int64 * 3
_Exec = _struct("_Exec", ("threads", c.c_int32), ("cpu_level", c.c_int32), ("workspace", _P),
                ("workspace_size", c.c_uint64),
                *_all(_P, "allocator parallel_user parallel_for progress_user progress"))
_Rows = _struct("_Rows", *_all(c.c_uint64, "batch rows cols"), *_all(_I3, "z_stride w_stride g_stride d_stride"),
                ("causal_offset", c.c_int64), *_all(_P, "begin end"), ("interval_stride", c.c_int64 * 2),
                ("visible", _P), ("visible_stride", _I3))
_RowOutputs = _struct("_RowOutputs", *_all(_P, "log_sum threshold support entropy max_score"),
                      *_all(c.c_uint64, "empty_rows nan_rows inf_rows"))
_Norms = _struct("_Norms", *_all(_P, "spectral frobenius bound constant"))
_Attention = _struct("_Attention", *_all(c.c_uint64, "batch heads kv_heads queries keys head_dim value_dim"),
                     ("scale", c.c_double), *_all(_I3, "q_stride k_stride v_stride out_stride weight_stride"),
                     ("causal_offset", c.c_int64), *_all(_P, "begin end"), ("interval_stride", _I3), ("visible", _P),
                     ("visible_stride", c.c_int64 * 4), ("normalizers", _P), ("normalizer_count", c.c_uint64))
_Family = _struct("_Family", *_all(_P, "user release f df d2f log_f"))
_KeyInfo = _struct("_KeyInfo", *_all(c.c_char_p, "name meaning"), *_all(c.c_double, "default_value low high"))
_Info = _struct("_Info", *_all(c.c_char_p, "name formula source"), *_all(c.c_uint64, "keys properties"))
_Shape = _struct("_Shape", *_all(c.c_uint64, "n_layer n_head n_embd n_inner n_positions vocab_size parameters"),
                 ("layer_norm_epsilon", c.c_double), *_all(c.c_int32, "activation scale_attn_weights "
                 "scale_attn_by_inverse_layer_idx tied eos_token_id bos_token_id"))
_Run = _struct("_Run", ("normalizers", _P), ("normalizer_count", c.c_uint64), *_all(c.c_int32, "logits reserved"),
               ("positions", _P), ("position_count", c.c_uint64), *_all(_P, "observer observer_user"))
_HeadView = _struct("_HeadView", *_all(c.c_int32, "layer head"), *_all(c.c_uint64, "first_row rows cols head_dim"),
                    *_all(_P, "scores weights values"), *_all(c.c_int64, "score_stride weight_stride value_stride"),
                    ("visible", _P))


class Error(RuntimeError):
    """What the library refused or could not do: status (a name), where (offset or code) and its one line of text."""

    def __init__(self, status: int, where: int, text: str):
        super().__init__(text)
        self.status, self.where = _lib.norm_status_name(status).decode(), where


def _open() -> c.CDLL:
    path = os.environ.get("LIBNORM_LIBRARY", "libnorm.so.0")  # by this name: find_library("norm") finds another library
    try:
        lib = c.CDLL(path)
    except OSError as error:
        raise ImportError(f"{path} cannot be loaded ({error}); install libnorm (Debian: libnorm0), or set "
                          "LIBNORM_LIBRARY to its path") from error
    if not hasattr(lib, "norm_version_number"):
        raise ImportError(f"{path} is not this library: NRL's NORM, a multicast protocol, has the same name")
    code = ""
    for word in _SIGNATURES.split():
        if word.endswith(":"):
            code = word[:-1]
            continue
        function = getattr(lib, "norm_" + word, None)  # an older library lacks what came later
        if function is not None:
            function.restype, function.argtypes = _TYPES[code[0]], [_TYPES[letter] for letter in code[1:]]
    return lib


_lib = _open()
_raised = threading.local()  # the exception of a callback, until the call that it stopped returns


def _call(name: str, *arguments: Any) -> None:
    """Calls norm_NAME with an error struct behind the arguments; raises what failed."""
    error = _ErrorStruct(struct_size=c.sizeof(_ErrorStruct))
    _raised.exception = None
    status = getattr(_lib, "norm_" + name)(*arguments, c.byref(error))
    exception, _raised.exception = _raised.exception, None
    if exception is not None:
        raise exception
    if status != 0:
        raise Error(status, error.where, error.text.decode("utf-8", "replace"))


def version() -> str:
    number = _lib.norm_version_number()
    return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"


def _exec(threads: int) -> Any:
    word, level = os.environ.get("LIBNORM_CPU", ""), c.c_int32(0)
    if word:
        _call("cpu_level_parse", word.encode(), c.byref(level))
    return _Exec(threads=threads, cpu_level=level.value)


def _array(x: Any, name: str, dtype: Any = None, shape: Any = None, written: bool = False) -> np.ndarray:
    """x as it is, or an exception that says what is wrong with it."""
    if not isinstance(x, np.ndarray):
        raise TypeError(f"{name} is {type(x).__name__}: expected a numpy.ndarray")
    if dtype is None and x.dtype not in (np.float32, np.float64) or dtype is not None and x.dtype != dtype:
        expected = "float32 or float64" if dtype is None else np.dtype(dtype).name
        raise TypeError(f"{name} has dtype {x.dtype}: expected {expected}; convert it with astype()")
    if shape is not None and x.shape != tuple(shape):
        raise ValueError(f"{name} has shape {x.shape}: expected {tuple(shape)}")
    if any(stride % x.itemsize for stride in x.strides) or not x.flags.aligned:
        raise ValueError(f"{name} has strides or an address that are not whole elements: copy it first")
    if written and not x.flags.writeable:
        raise ValueError(f"{name} is read-only: expected an array to write to")
    return x


def _three(x: np.ndarray, name: str) -> np.ndarray:
    """x as batch x rows x cols, without a copy."""
    if x.ndim == 0:
        raise ValueError(f"{name} has no axis: expected at least one")
    view = x[(None,) * (3 - x.ndim)] if x.ndim < 3 else x.view()
    if view.ndim > 3:
        try:
            view.shape = (-1,) + x.shape[-2:]
        except AttributeError:
            raise ValueError(f"{name}: its first {x.ndim - 2} axes cannot be walked as one: copy it first") from None
    return view


def _strides(x: np.ndarray) -> Any:
    steps = [stride // x.itemsize if n > 1 else 0 for stride, n in zip(x.strides, x.shape)]
    if x.shape[-1] <= 1:
        steps[-1] = 1
    return (c.c_int64 * x.ndim)(*steps)


class Normalizer:
    """A normalizer, made from its text: Normalizer("entmax:alpha=1.25")."""

    def __init__(self, spec: Union[str, "Normalizer"] = "softmax", _handle: Any = None, _keep: Any = None):
        self._handle, self._keep = _handle, _keep
        if isinstance(spec, Normalizer):
            self._handle, self._keep = _lib.norm_normalizer_ref(spec._handle), spec._keep
        elif _handle is None:
            handle, text = _P(), spec.encode()
            _call("normalizer_parse", text, len(text), None, c.byref(handle))
            self._handle = handle.value

    @classmethod
    def family(cls, f: Callable, df: Callable, d2f: Optional[Callable] = None, log_f: Optional[Callable] = None,
               name: str = "family") -> "Normalizer":
        """w_i = F(z_i/T) / sum_j F(z_j/T): functions of an array of scores. What they raise comes out of the call."""
        kind = c.CFUNCTYPE(c.c_int32, _P, c.c_size_t, c.POINTER(c.c_double), c.POINTER(c.c_double))

        def wrap(function):
            def callback(_user, n, t, ret):
                try:
                    np.ctypeslib.as_array(ret, (n,))[:] = function(np.ctypeslib.as_array(t, (n,)))
                    return 0
                except BaseException as exception:  # kept, and raised when the call is back
                    _raised.exception = exception
                    return 1
            return kind(callback)
        keep = [wrap(function) if function is not None else None for function in (f, df, d2f, log_f)]
        handle = _P()
        struct = _Family(**{key: c.cast(k, _P) if k is not None else None
                            for key, k in zip(("f", "df", "d2f", "log_f"), keep)})
        _call("normalizer_from_family", c.byref(struct), name.encode(), None, c.byref(handle))
        return cls(_handle=handle.value, _keep=keep)

    def __del__(self):
        if getattr(self, "_handle", None):
            _lib.norm_normalizer_free(self._handle)

    def __repr__(self):
        return f"Normalizer({self.spec!r})"

    @property
    def spec(self) -> str:
        size = c.c_size_t()
        _lib.norm_normalizer_spec(self._handle, None, 0, c.byref(size))
        text = c.create_string_buffer(size.value + 1)
        _lib.norm_normalizer_spec(self._handle, text, size.value + 1, None)
        return text.value.decode()

    def with_(self, key: str, value: float) -> "Normalizer":
        handle = _P()
        _call("normalizer_with", self._handle, key.encode(), value, c.byref(handle))
        return Normalizer(_handle=handle.value, _keep=self._keep)

    def _run(self, name, inputs, axis, out, options, before=(), results=1):
        """inputs: z, then what has its shape. Returns the result(s), of z's shape."""
        options = dict(options)
        threads = options.pop("threads", 1)
        z = _array(inputs[0], "z")
        views = {k: np.moveaxis(_array(x, k, z.dtype, z.shape), axis, -1)
                 for k, x in zip("zwgh", inputs) if x is not None}
        end = "f32" if z.dtype == np.float32 else "f64"
        if out is None:
            out = [np.empty_like(z) for _ in range(results)]
        for k, x in enumerate(out):
            views["out%d" % k] = np.moveaxis(_array(x, "out", z.dtype, z.shape, written=True), axis, -1)
        three = {k: _three(x, k) for k, x in views.items()}
        shape = views["z"].shape
        rows, keep = _rows(three["z"].shape, shape, **options)
        makes = name in ("apply", "log_apply")
        for k, field in (("z", "z_stride"), ("w", "w_stride"), ("g", "g_stride"), ("h", "g_stride"),
                         ("out0", "w_stride" if makes else "d_stride")):
            if k in three:
                setattr(rows, field, _strides(three[k]))
        pointers = [None if x is None else views[k].ctypes.data for k, x in zip("zwgh", inputs)]
        pointers += [views["out%d" % k].ctypes.data for k in range(len(out))]
        _call(f"{name}_{end}", self._handle, c.byref(rows), *pointers, *before, c.byref(_exec(threads)))
        del keep
        return out[0] if results == 1 else tuple(out)

    def apply(self, z, axis=-1, out=None, outputs: Sequence[str] = (), **rows):
        """Weights. outputs: names of norm_row_outputs; then (weights, {name: array of z's shape without axis}).
        rows: mask, causal, causal_offset, begin, end, neg_inf_hidden, threads."""
        return self._told("apply", z, axis, out, outputs, rows)

    def log_apply(self, z, axis=-1, out=None, outputs: Sequence[str] = (), **rows):
        return self._told("log_apply", z, axis, out, outputs, rows)

    def _told(self, name, z, axis, out, outputs, rows):
        told, lead = {}, np.moveaxis(_array(z, "z"), axis, -1).shape[:-1]
        struct = _RowOutputs()
        for key in outputs:
            told[key] = np.empty(lead)
            setattr(struct, key, told[key].ctypes.data)
        weights = self._run(name, [z], axis, None if out is None else [out], rows, before=(c.byref(struct),))
        return (weights, told) if outputs else weights

    def vjp(self, z, g, w=None, axis=-1, out=None, **rows):
        return self._run("vjp", [z, w, g], axis, None if out is None else [out], rows)

    def log_vjp(self, z, g, w=None, axis=-1, out=None, **rows):
        return self._run("log_vjp", [z, w, g], axis, None if out is None else [out], rows)

    def jvp(self, z, v, w=None, axis=-1, out=None, **rows):
        return self._run("jvp", [z, w, v], axis, None if out is None else [out], rows)

    def param_vjp(self, z, g, key: str, w=None, axis=-1, **rows) -> np.ndarray:
        """Gradient in one key, a number a row."""
        lead = np.moveaxis(_array(z, "z"), axis, -1).shape[:-1]
        ret = np.empty(lead)
        self._run("param_vjp", [z, w, g], axis, [], rows, before=(key.encode(), ret.ctypes.data), results=0)
        return ret


def _rows(three, shape, mask=None, causal=False, causal_offset=0, begin=None, end=None, neg_inf_hidden=False):
    rows = _Rows(flags=causal | neg_inf_hidden << 1, batch=three[0], rows=three[1], cols=three[2],
                 causal_offset=causal_offset)
    keep = []
    if mask is not None:
        seen = _three(np.broadcast_to(_array(np.asarray(mask), "mask", np.bool_), shape), "mask")
        rows.visible = seen.ctypes.data
        rows.visible_stride = (c.c_int64 * 3)(*[s if n > 1 else 0 for s, n in zip(seen.strides, seen.shape)])
        keep.append(seen)
    for name, x in (("begin", begin), ("end", end)):
        if x is not None:  # a copy: eight bytes a row, and both with one stride
            keep.append(np.ascontiguousarray(np.broadcast_to(np.asarray(x, np.int64), shape[:-1])))
            setattr(rows, name, keep[-1].ctypes.data)
            rows.interval_stride = (c.c_int64 * 2)(three[1], 1)
    return rows, keep


def registry() -> dict:
    """Every built-in normalizer: name to (formula, source, {key: (default, low, high, meaning)})."""
    result = {}
    for i in range(_lib.norm_registry_count()):
        info, keys = _Info(), {}
        _call("registry_get", i, c.byref(info))
        for k in range(info.keys):
            key = _KeyInfo()
            _call("registry_key", i, k, c.byref(key))
            keys[key.name.decode()] = (key.default_value, key.low, key.high, key.meaning.decode())
        result[info.name.decode()] = (info.formula.decode(), info.source.decode(), keys)
    return result


def _heads(q, k, v, normalizer, causal, causal_offset, scale, unit_length):
    for name, x in (("q", q), ("k", k), ("v", v)):
        if _array(x, name, np.float32).ndim != 4:
            raise ValueError(f"{name} has {x.ndim} axes: expected batch, head, row, width")
        if x.shape[-1] > 1 and x.strides[-1] != x.itemsize:
            raise ValueError(f"{name}: the numbers of a row do not lie side by side: copy it first")
    if k.shape[:3] != v.shape[:3] or k.shape[0] != q.shape[0] or k.shape[3] != q.shape[3]:
        raise ValueError(f"q {q.shape}, k {k.shape} and v {v.shape} do not fit each other")
    many = [normalizer] if isinstance(normalizer, (str, Normalizer)) else list(normalizer)
    many = [Normalizer(n) for n in many]
    handles = (_P * len(many))(*[n._handle for n in many])
    a = _Attention(flags=causal | unit_length << 1, batch=q.shape[0], heads=q.shape[1], kv_heads=k.shape[1],
                   queries=q.shape[2], keys=k.shape[2], head_dim=q.shape[3], value_dim=v.shape[3], scale=scale,
                   causal_offset=causal_offset, normalizers=c.addressof(handles), normalizer_count=len(many))
    for name, x in (("q", q), ("k", k), ("v", v)):
        setattr(a, name + "_stride", _I3(*[s // 4 for s in x.strides[:3]]))
    return a, (many, handles)


def attention(q, k, v, normalizer="softmax", causal=False, causal_offset=0, scale=0.0, unit_length=False,
              weights=False):
    """Outputs of float32 arrays batch x head x row x width; with weights=True, (outputs, weights)."""
    a, keep = _heads(q, k, v, normalizer, causal, causal_offset, scale, unit_length)
    out = np.empty(q.shape[:3] + v.shape[3:], np.float32)
    seen = np.empty(q.shape[:3] + k.shape[2:3], np.float32) if weights else None
    _call("attention_forward_f32", c.byref(a), q.ctypes.data, k.ctypes.data, v.ctypes.data, out.ctypes.data,
          None if seen is None else seen.ctypes.data, None, c.byref(_exec(1)))
    del keep
    return (out, seen) if weights else out


def attention_backward(q, k, v, upstream, normalizer="softmax", causal=False, causal_offset=0, scale=0.0,
                       unit_length=False):
    """Gradients in q, k and v from the gradient in the outputs."""
    q, k, v = (np.ascontiguousarray(_array(x, n, np.float32)) for n, x in zip("qkv", (q, k, v)))
    a, keep = _heads(q, k, v, normalizer, causal, causal_offset, scale, unit_length)
    up = np.ascontiguousarray(_array(upstream, "upstream", np.float32, q.shape[:3] + v.shape[3:]))
    results = [np.empty_like(x) for x in (q, k, v)]
    _call("attention_backward_f32", c.byref(a), *[x.ctypes.data for x in (q, k, v, up, *results)], c.byref(_exec(1)))
    del keep
    return tuple(results)


class Tokenizer:
    """GPT-2's byte-level byte-pair encoding, from a directory with vocab.json and merges.txt."""

    def __init__(self, directory: Union[str, os.PathLike]):
        handle = _P()
        _call("tokenizer_open", os.fsencode(directory), None, c.byref(handle))
        self._handle = handle.value

    def __del__(self):
        if getattr(self, "_handle", None):
            _lib.norm_tokenizer_free(self._handle)

    def __len__(self):
        return _lib.norm_tokenizer_size(self._handle)

    def encode(self, text: Union[str, bytes], special: bool = False) -> np.ndarray:
        """Ids of a text, int32."""
        data = text.encode() if isinstance(text, str) else bytes(text)
        ids, count = np.empty(len(data), np.int32), c.c_size_t()
        _call("tokenizer_encode", self._handle, data, len(data), int(special), ids.ctypes.data, len(ids),
              c.byref(count), None)
        return ids[:count.value].copy()

    def decode(self, ids: Any) -> bytes:
        ids, size = np.ascontiguousarray(ids, np.int32), c.c_size_t()
        _call("tokenizer_decode", self._handle, ids.ctypes.data, len(ids), None, 0, c.byref(size))
        data = c.create_string_buffer(size.value + 1)
        _call("tokenizer_decode", self._handle, ids.ctypes.data, len(ids), data, size.value, c.byref(size))
        return data.raw[:size.value]


class GPT2:
    """A model as Hugging Face's libraries write it: a directory with config.json and model.safetensors."""

    def __init__(self, directory: Union[str, os.PathLike]):
        handle = _P()
        _call("gpt2_open", os.fsencode(directory), None, c.byref(handle))
        self._handle = handle.value
        shape = _Shape()
        _call("gpt2_get_shape", self._handle, c.byref(shape))
        self.shape = {name: getattr(shape, name) for name, _ in _Shape._fields_[2:]}

    def __del__(self):
        if getattr(self, "_handle", None):
            _lib.norm_gpt2_free(self._handle)

    def _run(self, normalizer, observer):
        many = [normalizer] if isinstance(normalizer, (str, Normalizer)) else list(normalizer)
        many = [Normalizer(n) for n in many]
        handles = (_P * len(many))(*[n._handle for n in many])
        kind = c.CFUNCTYPE(c.c_int32, _P, c.POINTER(_HeadView))

        def look(_user, view):
            try:
                v = view.contents

                def matrix(pointer, stride, rows, cols):
                    flat = c.cast(pointer, c.POINTER(c.c_float * (stride * (rows - 1) + cols)))
                    return np.lib.stride_tricks.as_strided(np.ctypeslib.as_array(flat.contents), (rows, cols),
                                                           (4 * stride, 4), writeable=False)
                observer(v.layer, v.head, v.first_row, matrix(v.scores, v.score_stride, v.rows, v.cols),
                         matrix(v.weights, v.weight_stride, v.rows, v.cols))
                return 0
            except BaseException as exception:
                _raised.exception = exception
                return 1
        watch = kind(look)
        run = _Run(normalizers=c.addressof(handles), normalizer_count=len(many))
        if observer is not None:
            run.observer = c.cast(watch, _P)
        return run, (many, handles, watch)

    def forward(self, ids: Any, normalizer: Any = "softmax", logits: Any = "last", observer: Optional[Callable] = None,
                threads: int = 1) -> Optional[np.ndarray]:
        """Logits of the last position, of "all", of a list of positions, or None with logits=None.
        observer(layer, head, first_row, scores, weights) sees blocks of rows; the arrays live for its call alone."""
        ids = np.ascontiguousarray(ids, np.int32)
        run, keep = self._run(normalizer, observer)
        rows, chosen = 1, None
        if logits is None:
            run.logits, rows = 3, 0
        elif isinstance(logits, str) and logits in ("last", "all"):
            run.logits, rows = int(logits == "all"), len(ids) if logits == "all" else 1
        elif not isinstance(logits, str):
            chosen = np.ascontiguousarray(logits, np.uint64)
            run.logits, rows, run.positions, run.position_count = 2, len(chosen), chosen.ctypes.data, len(chosen)
        else:
            raise ValueError(f"logits is {logits!r}: expected 'last', 'all', positions or None")
        ret = np.empty((rows, self.shape["vocab_size"]), np.float32)
        _call("gpt2_forward", self._handle, ids.ctypes.data, len(ids), c.byref(run), ret.ctypes.data if rows else None,
              c.byref(_exec(threads)))
        del keep
        return None if logits is None else ret[0] if isinstance(logits, str) and logits == "last" else ret

    def loss(self, ids: Any, normalizer: Any = "softmax", threads: int = 1) -> np.ndarray:
        """The loss of each prediction in nats, one fewer than there are ids."""
        ids = np.ascontiguousarray(ids, np.int32)
        run, keep = self._run(normalizer, None)
        ret = np.empty(max(len(ids) - 1, 0))
        _call("gpt2_loss", self._handle, ids.ctypes.data, len(ids), c.byref(run), ret.ctypes.data,
              c.byref(_exec(threads)))
        del keep
        return ret
