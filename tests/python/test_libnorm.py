# SPDX-License-Identifier: MIT
"""The Python module against NumPy's own arithmetic, and what it refuses. Run with pytest; LIBNORM_LIBRARY names the
library, LIBNORM_SOURCE the tree with include/ and examples/."""
import glob
import os
import re

import numpy as np
import pytest

import libnorm

SOURCE = os.environ.get("LIBNORM_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
MODEL = os.path.join(SOURCE, "examples", "data", "gpt2-tiny")
random = np.random.default_rng(5)


def softmax(z, axis=-1):
    e = np.exp(z - z.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(7,), (3, 7), (2, 3, 7), (2, 2, 3, 7)])
def test_weights_and_gradient(dtype, shape):
    z, g = random.standard_normal((2,) + shape).astype(dtype)
    n = libnorm.Normalizer("softmax:temperature=0.5")
    p = softmax(z.astype(float) * 2)
    assert np.allclose(n.apply(z), p, atol=1e-6)
    assert np.allclose(n.log_apply(z), np.log(p), atol=1e-5)
    assert np.allclose(n.vjp(z, g), 2 * p * (g - (p * g).sum(-1, keepdims=True)), atol=1e-6)
    assert np.allclose(n.jvp(z, g), n.vjp(z, g), atol=1e-6)


def test_any_axis_and_any_stride_without_a_copy():
    whole = random.standard_normal((6, 8, 10))
    n = libnorm.Normalizer()
    for z in (whole, whole[::2, ::-1], whole.T, whole[:, :, 3:7], whole[:, ::3, ::2]):
        for axis in range(3):
            assert np.allclose(n.apply(z, axis=axis), softmax(z, axis), atol=1e-12)
    out = np.full((6, 8, 20), 7.0)
    n.apply(whole, out=out[:, :, ::2])
    assert np.allclose(out[:, :, ::2], softmax(whole)) and (out[:, :, 1::2] == 7).all()


def test_masks():
    z = random.standard_normal((4, 5)).astype(np.float32)
    n = libnorm.Normalizer("ssmax")
    mask = random.random((4, 5)) < 0.6
    mask[2] = False
    w = n.apply(z, mask=mask)
    assert (w[~mask] == 0).all() and np.allclose(w.sum(-1), [1, 1, 0, 1])
    assert np.allclose(n.apply(z, causal=True)[0], [1, 0, 0, 0, 0])
    w = n.apply(z, begin=[0, 1, 2, 3], end=5)
    assert np.allclose(w.sum(-1), 1) and (w[3, :3] == 0).all()
    w, told = n.apply(z, mask=mask, outputs=["support", "entropy"])
    assert np.array_equal(told["support"], mask.sum(-1)) and told["entropy"].shape == (4,)


def test_keys_and_texts():
    n = libnorm.Normalizer("entmax:alpha=1.25")
    assert n.spec == "entmax:temperature=1,alpha=1.25" and n.with_("alpha", 2).spec.endswith("alpha=2")
    z, g = random.standard_normal((2, 3, 6))
    step = 1e-5
    change = (n.with_("alpha", 1.25 + step).apply(z) - n.with_("alpha", 1.25 - step).apply(z)) / (2 * step)
    assert np.allclose(n.param_vjp(z, g, "alpha"), (change * g).sum(-1), atol=1e-7)
    assert len(libnorm.registry()) == 18 and libnorm.registry()["ssmax"][2]["s"][0] == 0.43


def test_what_is_refused_says_what_and_why():
    n, z = libnorm.Normalizer(), np.zeros((2, 3))
    with pytest.raises(TypeError, match="z is list: expected a numpy.ndarray"):
        n.apply([1.0, 2.0])
    with pytest.raises(TypeError, match="z has dtype int64: expected float32 or float64"):
        n.apply(np.zeros(3, np.int64))
    with pytest.raises(TypeError, match="g has dtype float32: expected float64"):
        n.vjp(z, z.astype(np.float32))
    with pytest.raises(ValueError, match=r"out has shape \(3, 2\): expected \(2, 3\)"):
        n.apply(z, out=np.zeros((3, 2)))
    out = np.zeros((2, 3))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        n.apply(z, out=out)
    with pytest.raises(ValueError, match="not whole elements"):
        n.apply(np.zeros(4, [("a", "f8"), ("b", "i2")])["a"])
    with pytest.raises(libnorm.Error, match="did you mean|softmax") as caught:
        libnorm.Normalizer("softmx")
    assert caught.value.status == "LIBNORM_E_SPEC" and caught.value.where == 0
    with pytest.raises(libnorm.Error, match="overlap"):
        n.apply(z[:, :2], out=z[:, 1:])


def test_own_f_and_its_exception():
    n = libnorm.Normalizer.family(np.exp, np.exp, np.exp, name="exp")
    z, g = random.standard_normal((2, 4, 9))
    assert np.allclose(n.apply(z), softmax(z)) and np.allclose(n.vjp(z, g), libnorm.Normalizer().vjp(z, g))

    def broken(t):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        libnorm.Normalizer.family(broken, broken).apply(z)
    assert np.allclose(n.with_("temperature", 2).apply(z), softmax(z / 2))


def test_attention():
    q, k, v, up = random.standard_normal((4, 2, 4, 6, 8)).astype(np.float32)
    z = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(8)
    z[..., ~np.tri(6, dtype=bool)] = -np.inf
    out, weights = libnorm.attention(q, k, v, causal=True, weights=True)
    assert np.allclose(weights, softmax(z), atol=1e-6) and np.allclose(out, softmax(z) @ v, atol=1e-5)
    rows_first = [np.ascontiguousarray(x.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3) for x in (q, k, v)]
    assert np.allclose(libnorm.attention(*rows_first, causal=True), out, atol=1e-6)
    dv = libnorm.attention_backward(q, k, v, up, causal=True)[2]
    assert np.allclose(dv, softmax(z).transpose(0, 1, 3, 2) @ up, atol=1e-5)
    shared = libnorm.attention(q, k[:, :2], v[:, :2], normalizer="sparsemax")
    assert np.allclose(shared[:, 1], libnorm.attention(q[:, 1:2], k[:, :1], v[:, :1], "sparsemax")[:, 0], atol=1e-6)


def test_gpt2_and_tokenizer():
    tokenizer, model = libnorm.Tokenizer(MODEL), libnorm.GPT2(MODEL)
    text = "The old house stood by the river — caf\u00e9 \u2603".encode() + b"\xff"
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text and ids.max() < len(tokenizer)
    logits = model.forward(ids, logits="all")
    assert np.allclose(model.forward(ids), logits[-1], atol=1e-4)
    assert np.allclose(model.forward(ids, logits=[2, 0]), logits[[2, 0]], atol=1e-4)
    expected = -np.log(softmax(logits.astype(float)))[np.arange(len(ids) - 1), ids[1:]]
    assert np.allclose(model.loss(ids), expected, atol=1e-4)
    seen = []
    assert model.forward(ids, logits=None, observer=lambda layer, head, first, scores, weights:
                         seen.append((layer, head, weights.sum(-1)))) is None
    assert len(seen) == model.shape["n_layer"] * model.shape["n_head"] and np.allclose(seen[0][2], 1, atol=1e-5)

    def stop(*_):
        raise StopIteration
    with pytest.raises(StopIteration):
        model.forward(ids, observer=stop)
    with pytest.raises(libnorm.Error, match="ids\\[1\\] is 99999"):
        model.forward([1, 99999])


def test_every_function_has_its_types():
    """The table of signatures against the headers."""
    names = set()
    for path in glob.glob(os.path.join(SOURCE, "include", "libnorm", "*.h")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        for match in re.finditer(r"LIBNORM_API\b[^;()]*?\bnorm_(\w+)\s*\(([^;]*)\)\s*;", text, flags=re.DOTALL):
            count = 0 if match[2].strip() == "void" else len(re.sub(r"\([^()]*\)", "", match[2]).split(","))
            names.add(match[1])
            function = getattr(libnorm._lib, "norm_" + match[1])
            assert function.argtypes is not None and len(function.argtypes) == count, match[1]
    assert len(names) > 100
