"""The CUDA Array Interface in both directions, form by form."""

import arrays_of as of
import driver
import numpy as np
import pytest
import strideview as sv

View = sv.StridedMemoryView
SIZE = 96
REFUSED = (BufferError, ValueError, TypeError)


@pytest.fixture
def address(device):
    driver.use_primary()
    with driver.memory(SIZE) as address:
        data = bytes(range(SIZE))
        driver.call("cuMemcpyHtoD_v2", address, driver.C.c_char_p(data), SIZE)
        yield address


def interface(address: int, **changed) -> of.Interface:
    """Of 2 by 3 floats; an entry of ... is left out."""
    entries = {"shape": (2, 3), "typestr": "<f4", "data": (address, False), "version": 3} | changed
    return of.Interface(**{name: value for name, value in entries.items() if value is not ...})


def floats(*at: int) -> bytes:
    """The bytes of the floats at these places of the memory."""
    return b"".join(bytes(range(4 * place, 4 * place + 4)) for place in at)


def from_interface(given, stream=-1):
    return View.from_cuda_array_interface(given, stream)


# Consumer


@pytest.mark.parametrize("version", [2, 3, 4, 99])
def test_check_66_versions(address, version):
    view = from_interface(interface(address, version=version))
    of.assert_place(view, address, (2, 3), (3, 1), "float32")
    assert of.view_bytes(view) == floats(*range(6))


@pytest.mark.parametrize("version", [1, 0, -1, ..., "3", None])
def test_check_66_versions_that_are_refused(address, version):
    with pytest.raises((*REFUSED, KeyError)):
        from_interface(interface(address, version=version))


@pytest.mark.parametrize("stream", [None, 1, 2, ...])
@pytest.mark.parametrize("consumer", [-1, 1, 2])
def test_check_66_streams(address, stream, consumer):
    view = from_interface(interface(address, stream=stream), consumer)
    assert of.view_bytes(view) == floats(*range(6))


def test_check_66_a_stream_handle(address):
    with driver.new_stream() as stream:
        view = from_interface(interface(address, stream=stream), 1)
        assert of.view_bytes(view) == floats(*range(6))
        del view


@pytest.mark.parametrize("stream", [0, -1, 1.5, "1"])
def test_check_68_streams_that_are_refused(address, stream):
    with pytest.raises(REFUSED):
        from_interface(interface(address, stream=stream), 1)


@pytest.mark.parametrize(
    ("strides", "wanted", "at"),
    [
        (..., (3, 1), (0, 1, 2, 3, 4, 5)),
        (None, (3, 1), (0, 1, 2, 3, 4, 5)),
        ((12, 4), (3, 1), (0, 1, 2, 3, 4, 5)),
        ((4, 8), (1, 2), (0, 2, 4, 1, 3, 5)),
        ((0, 4), (0, 1), (0, 1, 2, 0, 1, 2)),
    ],
)
def test_check_67_strides(address, strides, wanted, at):
    view = from_interface(interface(address, strides=strides))
    of.assert_place(view, address, (2, 3), wanted, "float32")
    assert of.view_bytes(view) == floats(*at)


def test_check_67_negative_strides(address):
    view = from_interface(interface(address, strides=(-12, -4), data=(address + 20, False)))
    of.assert_place(view, address + 20, (2, 3), (-3, -1), "float32")
    assert of.view_bytes(view) == floats(5, 4, 3, 2, 1, 0)


@pytest.mark.parametrize("strides", [(4,), (12, 4, 4), (2, 4), 4, "12", (1.0, 2.0)])
def test_check_67_strides_that_are_refused(address, strides):
    with pytest.raises(REFUSED):
        from_interface(interface(address, strides=strides))


def test_check_68_masks(address):
    assert from_interface(interface(address, mask=None)).shape == (2, 3)
    with pytest.raises(BufferError):
        from_interface(interface(address, mask=interface(address, typestr="|b1")))


@pytest.mark.parametrize(
    ("typestr", "name"),
    [("|b1", "bool"), ("|u1", "uint8"), ("<i2", "int16"), ("<f2", "float16"), ("<V2", "bfloat16"), ("<c8", "complex64"), ("<f8", "float64")],
)
def test_check_69_type_strings(address, typestr, name):
    view = from_interface(interface(address, typestr=typestr))
    of.assert_place(view, address, (2, 3), (3, 1), name)


@pytest.mark.parametrize("typestr", ["|O8", "<f3", "", "f", None, 4, b"<f4", "<x4"])
def test_check_69_type_strings_that_are_refused(address, typestr):
    with pytest.raises(REFUSED):
        from_interface(interface(address, typestr=typestr))


@pytest.mark.parametrize("entry", ["shape", "typestr", "data"])
def test_missing_entries(address, entry):
    with pytest.raises((*REFUSED, KeyError)):
        from_interface(interface(address, **{entry: ...}))


@pytest.mark.parametrize("data", [None, 5, (1,), ("1", False), (-1, False)])
def test_wrong_data(address, data):
    with pytest.raises((*REFUSED, OverflowError)):
        from_interface(interface(address, data=data))


def test_read_only(address):
    assert from_interface(interface(address, data=(address, True))).readonly
    assert not from_interface(interface(address)).readonly


def test_empty_arrays_are_never_looked_at(address):
    for pointer in (0, 64):
        view = from_interface(interface(address, shape=(2, 0), data=(pointer, False)))
        assert (view.shape, view.size) == ((2, 0), 0)


def test_memory_that_no_device_reaches_is_refused(device):
    host = np.zeros(6, "f4")
    if driver.attribute(88):
        pytest.skip("a coherent machine reaches pageable memory")
    with pytest.raises(BufferError):
        from_interface(interface(host.ctypes.data))


def test_check_70_the_object_is_kept_and_asked_once(address):
    import sys

    given = interface(address)
    before = sys.getrefcount(given)
    view = from_interface(given)
    assert given.asked == 1
    assert sys.getrefcount(given) > before
    assert view.exporting_obj is given
    del view
    assert sys.getrefcount(given) == before


def test_check_70_what_the_property_raises_comes_out(device):
    class Broken:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("as torch says where a gradient is needed")

    with pytest.raises(RuntimeError, match="gradient"):
        from_interface(Broken())


# Producer


def made(device, shape=(2, 3), dtype="float32"):
    size = max(1, int(np.prod(shape)) * np.dtype(dtype).itemsize)
    return View.from_buffer(device.allocate(size), shape, dtype=dtype)


def test_check_63_entries(device):
    view = made(device)
    shown = view.__cuda_array_interface__
    assert set(shown) >= {"shape", "typestr", "data", "version", "strides"}
    assert (shown["shape"], shown["typestr"], shown["data"], shown["version"]) == ((2, 3), "<f4", (view.ptr, False), 3)
    assert shown["strides"] is None
    assert shown.get("mask") is None
    assert view.T.__cuda_array_interface__["strides"] == (4, 12)
    assert view[:, ::-1].__cuda_array_interface__["strides"] == (12, -4)
    assert view[:, ::-1].__cuda_array_interface__["data"][0] == view.ptr + 8
    scalar = view[1, 2].__cuda_array_interface__
    assert (scalar["shape"], scalar["data"][0]) == ((), view.ptr + 20)


def test_check_63_empty(device):
    shown = made(device, (2, 0)).__cuda_array_interface__
    assert (shown["shape"], shown["data"][0]) == ((2, 0), 0)


@pytest.mark.parametrize("name", of.COMMON)
def test_check_63_type_strings(device, name):
    assert made(device, dtype=name).__cuda_array_interface__["typestr"] == np.dtype(name).str


def test_check_63_read_only(address):
    view = from_interface(interface(address, data=(address, True)))
    assert view.__cuda_array_interface__["data"] == (address, True)


def test_check_64_who_has_it(device):
    assert not hasattr(View(np.zeros(3), -1), "__cuda_array_interface__")
    for memory in (driver.pinned, driver.managed):
        with memory(64) as address:
            view = View.from_buffer(sv.Buffer.from_handle(address, 64), (64,), dtype="uint8")
            assert view.__cuda_array_interface__["data"] == (address, False)
            assert view.__array_interface__["data"][0] == address
    assert not hasattr(made(device), "__array_interface__")
    with pytest.raises(BufferError):
        memoryview(made(device))


def test_check_65_streams(address):
    with driver.new_stream() as stream:
        for given, shown in ((-1, None), (0, 1), (1, 1), (2, 2), (stream, stream)):
            view = from_interface(interface(address), given)
            assert view.__cuda_array_interface__.get("stream") == shown
            assert view.T.__cuda_array_interface__.get("stream") == shown
            del view
