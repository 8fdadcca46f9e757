"""Arrays of each library through a view and back: address, shape, strides and values stay."""

import ctypes

import arrays_of as of
import driver
import numpy as np
import pytest
import strideview as sv

ROADS = ["from_any_interface", "from_dlpack", "from_cuda_array_interface"]
by_road = pytest.mark.parametrize("road", ROADS)


def imported(road: str, array, stream=-1):
    return getattr(sv.StridedMemoryView, road)(array, stream)


def torch_of(torch, name: str):
    if not hasattr(torch, name):
        pytest.skip(f"this torch has no {name}")
    return of.torch_tensor(torch, name)


def torch_speaks(tensor, road: str) -> None:
    """Skips what torch itself does not export."""
    try:
        if road == "from_cuda_array_interface":
            tensor.__cuda_array_interface__  # noqa: B018
        else:
            tensor.__dlpack__(stream=-1, max_version=(1, 3))
    except Exception as error:
        pytest.skip(f"torch does not export it: {error!r}")


@by_road
@pytest.mark.parametrize("name", of.TORCH)
def test_check_51_torch_dtypes(torch, name, road):
    tensor = torch_of(torch, name).permute(2, 0, 1)[::2]
    torch_speaks(tensor, road)
    view = imported(road, tensor)
    of.assert_place(view, tensor.data_ptr(), tensor.shape, tensor.stride(), name)
    assert of.view_bytes(view) == of.torch_bytes(tensor)
    back = torch.from_dlpack(view)
    assert (back.data_ptr(), back.shape, back.stride(), back.dtype) == (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
    assert of.torch_bytes(back) == of.torch_bytes(tensor)


@by_road
@pytest.mark.parametrize("kind", of.TORCH_VIEWS)
def test_check_51_torch_layouts(torch, kind, road):
    tensor = of.TORCH_VIEWS[kind](of.torch_tensor(torch, "float32"))
    view = imported(road, tensor)
    of.assert_place(view, tensor.data_ptr(), tensor.shape, tensor.stride(), "float32")
    assert not view.readonly
    back = torch.from_dlpack(view)
    assert (back.shape, back.is_cuda) == (tensor.shape, True)
    assert of.torch_bytes(back) == of.torch_bytes(tensor)
    through_interface = torch.as_tensor(view, device="cuda")
    assert of.torch_bytes(through_interface) == of.torch_bytes(tensor)


def cupy_array(cupy, name: str):
    return cupy.asarray(of.host_numbers(name))


@by_road
@pytest.mark.parametrize("name", of.COMMON)
def test_check_51_cupy_dtypes(cupy, name, road):
    array = cupy_array(cupy, name).transpose(2, 0, 1)[::2]
    view = imported(road, array)
    of.assert_place(view, array.data.ptr, array.shape, of.numpy_strides(array), name)
    assert of.view_bytes(view) == of.cupy_bytes(array)
    for back in (cupy.asarray(view), cupy.from_dlpack(view)):
        assert (back.data.ptr, back.shape, back.strides, back.dtype) == (array.data.ptr, array.shape, array.strides, array.dtype)
        assert of.cupy_bytes(back) == of.cupy_bytes(array)


@pytest.mark.parametrize("road", ["from_any_interface", "from_cuda_array_interface"])
@pytest.mark.parametrize("kind", of.CUPY_VIEWS)
def test_check_51_cupy_layouts(cupy, kind, road):
    """Negative strides as well, which CuPy's own DLPack corrupts."""
    array = of.CUPY_VIEWS[kind](cupy_array(cupy, "float32"))
    view = imported(road, array)
    of.assert_place(view, array.data.ptr, array.shape, of.numpy_strides(array), "float32")
    assert of.view_bytes(view) == of.cupy_bytes(array)
    back = cupy.asarray(view)
    assert (back.shape, of.cupy_bytes(back)) == (array.shape, of.cupy_bytes(array))


@by_road
@pytest.mark.parametrize("name", of.JAX)
def test_check_51_jax_dtypes(jax, name, road):
    import ml_dtypes

    dtype = np.dtype(getattr(ml_dtypes, name, name))
    host = np.arange(1, 25).astype(dtype).reshape(4, 6)
    array = jax.device_put(host)
    array.block_until_ready()
    # JAX up to 0.11 refuses -1 on a GPU; the view then asks with a stream of its own.
    try:
        view = imported(road, array)
    except (BufferError, AttributeError, KeyError, ValueError, RuntimeError) as error:
        if road == "from_any_interface":
            raise
        pytest.skip(f"jax does not export it: {error!r}")
    if road == "from_cuda_array_interface" and (name.startswith("float8") or name == "bfloat16"):
        assert view.dtype.itemsize == dtype.itemsize
    else:
        of.assert_place(view, array.unsafe_buffer_pointer(), host.shape, of.numpy_strides(host), name)
    assert of.view_bytes(view) == host.tobytes()


@pytest.mark.parametrize("name", ["int32", "float32", "complex64", "bfloat16"])
def test_check_51_to_jax(jax, torch, name):
    import jax.dlpack

    tensor = of.torch_tensor(torch, name)
    torch.cuda.synchronize()
    view = sv.StridedMemoryView.from_any_interface(tensor, 1)
    back = jax.dlpack.from_dlpack(view)
    assert str(back.dtype) == name
    assert back.unsafe_buffer_pointer() == tensor.data_ptr()
    assert np.asarray(back).tobytes() == of.torch_bytes(tensor)


@pytest.mark.parametrize("road", ["from_any_interface", "from_cuda_array_interface"])
@pytest.mark.parametrize("name", of.COMMON)
def test_check_51_numba(numba_cuda, name, road):
    host = of.host_numbers(name)
    array = numba_cuda.to_device(host)
    view = imported(road, array)
    interface = array.__cuda_array_interface__
    of.assert_place(view, interface["data"][0], host.shape, of.numpy_strides(host), name)
    assert of.view_bytes(view) == host.tobytes()
    back = numba_cuda.as_cuda_array(view)
    assert back.__cuda_array_interface__["data"][0] == interface["data"][0]
    assert back.copy_to_host().tobytes() == host.tobytes()


def test_check_51_cuda_core_buffer(cuda_core, device):
    theirs = cuda_core.Device(0)
    buffer = theirs.allocate(64, stream=theirs.default_stream)
    driver.synchronize()
    driver.call("cuMemsetD8_v2", int(buffer.handle), ctypes.c_ubyte(9), 64)
    view = sv.StridedMemoryView.from_any_interface(buffer, 1)
    assert (view.ptr, view.shape, view.is_device_accessible) == (int(buffer.handle), (64,), True)
    assert of.view_bytes(view) == bytes([9]) * 64
    del view
    buffer.close()


@pytest.mark.parametrize("name", ["uint8", "float32", "complex128", "bfloat16"])
def test_check_51_cuda_core_view(cuda_core, torch, name):
    from cuda.core.utils import StridedMemoryView as Theirs

    tensor = of.torch_tensor(torch, name).permute(2, 0, 1)
    view = sv.StridedMemoryView.from_any_interface(tensor, -1)
    if name == "bfloat16":
        theirs = Theirs.from_dlpack(view, -1)
        with pytest.raises(BufferError, match="bfloat16"):
            theirs.__dlpack__(stream=-1, max_version=(1, 3))
        pytest.skip("cuda.core imports bfloat16 and does not export it")
    theirs = Theirs.from_dlpack(view, -1)
    assert (theirs.ptr, theirs.shape, theirs.strides) == (tensor.data_ptr(), tuple(tensor.shape), tensor.stride())
    assert (theirs.device_id, theirs.is_device_accessible, theirs.readonly) == (0, True, False)
    back = sv.StridedMemoryView.from_any_interface(theirs, -1)
    of.assert_place(back, tensor.data_ptr(), tensor.shape, tensor.stride(), name)


def test_check_27_memory_lives_as_long_as_a_consumer(torch, cupy):
    """The view and the first array are gone; the last consumer still holds the memory."""
    tensor = of.torch_tensor(torch, "float32")
    wanted, address = of.torch_bytes(tensor), tensor.data_ptr()
    back = torch.from_dlpack(sv.StridedMemoryView.from_any_interface(tensor, -1))
    array = cupy.asarray(sv.StridedMemoryView.from_any_interface(tensor, -1))
    del tensor
    others = [torch.zeros_like(back) for _ in range(100)]
    assert address not in [other.data_ptr() for other in others]
    assert of.torch_bytes(back) == wanted == of.cupy_bytes(array)


def test_a_new_buffer_for_every_library(torch, cupy, device):
    """The path of a function that allocates like its argument."""
    for array in (of.torch_tensor(torch, "float32")[1::2].permute(2, 0, 1), cupy_array(cupy, "float32")[:, ::-1]):
        given = sv.StridedMemoryView(array, -1)
        layout = given.layout.to_dense()
        memory = device.allocate(layout.required_size_in_bytes())
        made = sv.StridedMemoryView.from_buffer(memory, layout, given.dtype)
        assert (made.shape, made.dtype, made.device_id) == (given.shape, given.dtype, 0)
        assert tuple(torch.from_dlpack(made).shape) == cupy.asarray(made).shape == given.shape
