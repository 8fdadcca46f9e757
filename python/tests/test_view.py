"""Views of arrays: what they say, and the views made of them."""

import array
import gc
import mmap
import weakref

import numpy as np
import pytest
from arrays import KINDS, described, numbers, strides_in_elements
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused
from strategies import slices_of
from strideview import Device, StridedLayout, StridedMemoryView
from view_of import view_of

every_kind = pytest.mark.parametrize("source", KINDS.values(), ids=KINDS)


@every_kind
def test_attributes(source):
    view = view_of(source)
    assert (view.shape, view.ndim, view.size, view.nbytes) == (source.shape, source.ndim, source.size, source.nbytes)
    assert (view.dtype, view.itemsize) == (source.dtype, source.itemsize)
    assert view.readonly == (not source.flags.writeable)
    assert (view.device_id, view.is_host_accessible, view.is_device_accessible) == (-1, True, False)
    assert view.exporting_obj is source
    assert type(view.strides) is tuple
    if source.size:
        assert view.ptr == source.ctypes.data
        for extent, ours, theirs in zip(source.shape, view.strides, strides_in_elements(source), strict=True):
            assert extent == 1 or ours == theirs


@every_kind
def test_layout_of_a_view(source):
    layout = view_of(source).layout
    assert (layout.shape, layout.itemsize, layout.slice_offset) == (source.shape, source.itemsize, 0)
    assert (layout.is_contiguous_c, layout.is_contiguous_f) == (source.flags.c_contiguous, source.flags.f_contiguous)
    assert layout.strides in {None, view_of(source).strides}


@every_kind
def test_back_to_numpy(source):
    """The same memory, and read-only where it was."""
    for back in (
        np.from_dlpack(view_of(source)),
        np.asarray(view_of(source)),
        np.asarray(StridedMemoryView.from_buffer_protocol(source)),
    ):
        assert described(back) == described(source)
        assert back.flags.writeable == source.flags.writeable
        assert np.array_equal(back, source)
        assert source.size == 0 or np.shares_memory(back, source)


@every_kind
def test_every_road_gives_the_same_view(source):
    views = [
        StridedMemoryView(source, -1),
        StridedMemoryView.from_any_interface(source, -1),
        StridedMemoryView.from_dlpack(source, -1),
        StridedMemoryView.from_buffer_protocol(source),
        view_of(view_of(source)),
    ]
    for view in views:
        assert (view.shape, view.dtype, view.readonly) == (source.shape, source.dtype, not source.flags.writeable)
        assert view.layout.maps_like(views[0].layout)
        assert source.size == 0 or view.ptr == source.ctypes.data


def test_writing_shows_on_both_sides():
    source = np.zeros((2, 3))
    np.asarray(view_of(source))[1, 2] = 5
    assert source[1, 2] == 5
    source[0, 0] = 7
    assert np.from_dlpack(view_of(source))[0, 0] == 7


def test_objects_with_a_buffer():
    sources = [
        (b"abcdef", (6,), "uint8", True),
        (bytearray(b"abcdef"), (6,), "uint8", False),
        (memoryview(b"abcdef")[::-2], (3,), "uint8", True),
        (memoryview(bytearray(24)).cast("i", (2, 3)), (2, 3), "int32", False),
        (array.array("d", [1, 2]), (2,), "float64", False),
        (array.array("H"), (0,), "uint16", False),
        (mmap.mmap(-1, 4096), (4096,), "uint8", False),
    ]
    for source, shape, dtype, is_readonly in sources:
        view = view_of(source)
        assert (view.shape, view.dtype, view.readonly) == (shape, np.dtype(dtype), is_readonly)
        assert view.exporting_obj is source
        assert np.asarray(view).tolist() == memoryview(source).tolist()


def test_objects_without_memory():
    for wrong in (1, None, "text", object(), [1, 2], (1, 2), {}):
        with pytest.raises((BufferError, TypeError)):
            view_of(wrong)
    for wrong in (
        lambda: StridedMemoryView(),
        lambda: StridedMemoryView(b"a"),
        lambda: StridedMemoryView(b"a", -1, 0),
        lambda: StridedMemoryView(b"a", stream=-1),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_any_stream_will_do_for_the_host():
    source = np.zeros(3)
    for stream in (-1, 0, 1, 2, None, object(), "stream", 1 << 40):
        assert StridedMemoryView(source, stream).shape == (3,)
        assert StridedMemoryView(obj=source, stream_ptr=stream).shape == (3,)
        assert StridedMemoryView.from_dlpack(source, stream).shape == (3,)


def test_repr():
    text = repr(view_of(KINDS["read-only"]))
    for part in ("StridedMemoryView", "(2, 3):(3, 1) x8", "float64", "read-only"):
        assert part in text
    for source in KINDS.values():
        assert repr(view_of(source))
        assert str(view_of(source))


def test_a_view_cannot_change():
    view = view_of(np.zeros(3))
    for name in ("shape", "readonly", "ptr", "anything"):
        with pytest.raises(AttributeError):
            setattr(view, name, 1)
    with pytest.raises(TypeError):
        type("Derived", (StridedMemoryView,), {})
    assert view == view
    assert view != view_of(np.zeros(3))
    assert weakref.ref(view)() is view
    assert hash(view) == hash(view)


def test_the_exporter_lives_as_long_as_the_view():
    source = np.arange(1000.0)
    alive = weakref.ref(source)
    view = view_of(source)[10:20]
    del source
    gc.collect()
    assert alive() is not None
    assert np.from_dlpack(view).tolist() == list(range(10, 20))
    array = np.from_dlpack(view)
    del view
    gc.collect()
    assert array.tolist() == list(range(10, 20))
    del array
    gc.collect()
    assert alive() is None


def test_a_bytearray_may_grow_again_when_the_view_is_gone():
    source = bytearray(8)
    view = view_of(source)
    with pytest.raises(BufferError):
        source.extend(b"more")
    del view
    source.extend(b"more")
    assert len(source) == 12


@given(st.data(), st.sampled_from(list(KINDS.values())))
def test_indexing(data, source):
    index = tuple(
        data.draw(slices_of(extent, wild=True)) for extent in source.shape[: data.draw(st.integers(0, source.ndim))]
    )
    if index and source.shape[0] and data.draw(st.booleans()):
        index = (data.draw(st.integers(-source.shape[0], source.shape[0] - 1)), *index[1:])
    index += data.draw(st.sampled_from([(...,), (..., None), (None, ...)]))
    part = view_of(source)[index]
    assert described(np.from_dlpack(part)) == described(source[index])
    assert part.exporting_obj is source
    assert part.readonly == (not source.flags.writeable)


def test_wrong_indices():
    view = view_of(np.zeros((2, 3)))
    for wrong in (2, -3, (0, 3)):
        with refused("layout.index_out_of_range", IndexError, ValueError):
            view[wrong]
    with refused("layout.too_many_indices", IndexError):
        view[0, 0, 0]
    for wrong in (True, 1.0, "a", [0], np.array([0])):
        with pytest.raises(TypeError):
            view[wrong]


def test_walking_over_the_first_axis():
    rows = list(view_of(numbers((3, 2))))
    assert [np.asarray(row).tolist() for row in rows] == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda it: it.T, lambda it: it.T),
        (lambda it: it.permute((2, 0, 1)), lambda it: it.transpose(2, 0, 1)),
        (lambda it: it.permute(axes=[-1, -2, -3]), lambda it: it.T),
        (lambda it: it.reshape((6, 4)), lambda it: it.reshape(6, 4)),
        (lambda it: it.reshape(-1), lambda it: it.reshape(-1)),
        (lambda it: it.reshape(shape=(2, -1, 2)), lambda it: it.reshape(2, -1, 2)),
        (lambda it: it.unsqueeze(1), lambda it: np.expand_dims(it, 1)),
        (lambda it: it.unsqueeze((0, -1)), lambda it: np.expand_dims(it, (0, -1))),
        (lambda it: it[:1].squeeze(), lambda it: it[0]),
        (lambda it: it[:1].squeeze(0), lambda it: it[0]),
        (lambda it: it[:1, :1].squeeze(axis=(0, 1)), lambda it: it[0, 0]),
        (lambda it: it.broadcast_to((5, 2, 3, 4)), lambda it: np.broadcast_to(it, (5, 2, 3, 4))),
        (lambda it: it.bytes_view(), lambda it: it.reshape(-1).view("u1")),
        (lambda it: it.view(), lambda it: it),
        (lambda it: it.view(dtype="i8"), lambda it: it.view("i8")),
        (lambda it: it.view(dtype="f4"), lambda it: it.view("f4")),
        (lambda it: it.view(None, "c16"), lambda it: it.view("c16")),
    ],
)
def test_transforms(ours, theirs):
    source = numbers((2, 3, 4))
    view = ours(view_of(source))
    assert described(np.from_dlpack(view)) == described(theirs(source))
    assert view.exporting_obj is source
    frozen = ours(StridedMemoryView.from_dlpack(source, -1, readonly=True))
    assert frozen.readonly


def test_transforms_that_are_refused():
    view = view_of(numbers((2, 3, 4)))
    with refused("layout.reshape_needs_copy", ValueError):
        view.T.reshape((24,))
    with refused("layout.volume_mismatch", ValueError):
        view.reshape((5, 5))
    with refused("layout.not_unit_extent", ValueError):
        view.squeeze(0)
    with refused("layout.broadcast_extent", ValueError):
        view.broadcast_to((2, 3, 5))
    with refused("view.not_contiguous", ValueError):
        view[:, :, ::2].bytes_view()
    with refused("layout.repack_stride", ValueError):
        view.T.view(dtype="f4")
    with refused("layout.not_divisible", ValueError):
        view[:, :, :3].view(dtype="c16")
    for wrong in (
        lambda: view.reshape(6, 4),
        lambda: view.permute(2, 0, 1),
        lambda: view.view("f4"),
        lambda: view.view((24,)),
        lambda: view.reshape("a"),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_bytes_of_a_view():
    """Dense bytes in the order of memory, for every dense order."""
    for source in (
        numbers((2, 3), "f4"),
        numbers((2, 3), "i2", order="F"),
        np.array(1.5),
        np.zeros((0, 3)),
        numbers((2, 3, 4)).transpose(1, 2, 0),
    ):
        view = view_of(source).bytes_view()
        assert (view.shape, view.dtype, view.layout.is_contiguous_c) == ((source.nbytes,), np.uint8, True)
        in_memory = source.transpose(np.argsort([-stride for stride in source.strides]))
        assert np.asarray(view).tobytes() == in_memory.tobytes()


def test_a_layout_counts_from_the_first_element():
    base = numbers((4, 5))
    part = view_of(base)[1:3, 2:]
    assert np.asarray(part.view(StridedLayout((2,), (5,), 8))).tolist() == base[1:3, 2].tolist()
    back = part.view(StridedLayout((3,), (-1,), 8))
    assert np.asarray(back).tolist() == base[1, 2::-1].tolist()
    assert part.view(StridedLayout((20,), None, 8, slice_offset=-7)).ptr == base.ctypes.data


def test_a_layout_must_lie_in_the_buffer():
    view = StridedMemoryView.from_buffer(Device("cpu").allocate(160), (4, 5), dtype="float64")
    part = view[1:3, 2:]
    for layout in (
        StridedLayout((14,), None, 8),
        StridedLayout((20,), None, 8, slice_offset=-8),
        StridedLayout((9,), (-1,), 8),
        StridedLayout((2,), (13,), 8),
        StridedLayout((2,), (2**58,), 8),
    ):
        with refused("view.out_of_bounds", ValueError):
            part.view(layout)


def test_layout_and_dtype_must_agree():
    view = view_of(numbers((2, 3)))
    with refused("view.itemsize_mismatch", ValueError):
        view.view(StridedLayout((3,), None, 4))
    with refused("view.itemsize_mismatch", ValueError):
        view.view(StridedLayout((3,), None, 4), "f8")
    assert view.view(StridedLayout((12,), None, 4), "f4").dtype == np.float32
    assert view.view(StridedLayout((2, 3), None, 8)).dtype == np.float64
