"""Cases of the areas copy and alignment."""

import dlhelp as d
import numpy as np
from refusal import refused
from strideview import StridedLayout, copy
from view_of import view_of


def test_cy_01():
    target = np.zeros(1)
    expanded = view_of(d.P(target, shape=(10,), strides=(0,), dtype=(2, 64, 1)))
    assert not expanded.readonly
    with refused("view.not_unique", ValueError):
        copy(dst=expanded, src=view_of(np.arange(10.0)))
    assert target == 0.0


def test_cy_03():
    a = np.arange(6.0)
    copy(dst=view_of(a[1:]), src=view_of(a[:-1]))
    assert a.tolist() == [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]


def test_cy_04():
    b = np.arange(24.0).reshape(2, 4, 3).copy()
    wanted = b.copy()
    wanted[:, 1:] = b.copy()[:, :-1]
    copy(dst=view_of(b[:, 1:]), src=view_of(b[:, :-1]))
    assert np.array_equal(b, wanted)


def test_cy_06():
    a = np.arange(6.0).reshape(2, 3)
    copy(dst=view_of(a), src=view_of(a))
    copy(dst=view_of(a), src=view_of(a.copy()))
    assert a.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_cy_07():
    a, target = np.arange(8.0).reshape(2, 2, 2), np.empty((2, 2))
    copy(dst=view_of(target), src=view_of(a[:, :, 1]))
    assert target.tolist() == [[1.0, 3.0], [5.0, 7.0]]


def test_cy_09():
    cube, x = np.arange(64.0).reshape(4, 4, 4), np.full((4, 12), -1.0)
    copy(dst=view_of(x[0, :9].reshape(3, 3)), src=view_of(cube[1, :3, 1:4]))
    assert x[0, :10].tolist() == [17.0, 18.0, 19.0, 21.0, 22.0, 23.0, 25.0, 26.0, 27.0, -1.0]
    with refused("copy.rank_mismatch", ValueError):
        copy(dst=view_of(x[0, :9]), src=view_of(cube[1, :3, 1:4]))


def test_cy_10():
    dense = StridedLayout((2, 5), (10, 1), 4).to_dense()
    assert (dense.shape, dense.strides, dense.required_size_in_bytes()) == ((2, 5), (5, 1), 40)


def test_cy_16(case):
    b = np.full(16, -1.0)
    copy(dst=view_of(b[1:13:4]), src=view_of(np.arange(3.0)))
    assert b.tolist() == case["expect"]["value"]


def test_al_03():
    raw, target = np.arange(33, dtype="u1"), np.empty(4)
    x = np.ndarray((4,), "f8", raw, 1)
    copy(dst=view_of(target), src=view_of(x))
    assert target.tobytes() == raw[1:].tobytes()
    copy(dst=view_of(x), src=view_of(np.arange(4.0)))
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]
