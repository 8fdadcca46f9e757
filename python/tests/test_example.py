"""The function that the package is for: a dense copy of an array on a device, whatever the array's strides."""

import numpy
import pytest
import strideview as sv
from arrays import KINDS
from strideview import StridedMemoryView


def device_tensor_like(a: numpy.ndarray, device: sv.Device) -> StridedMemoryView:
    a_view = StridedMemoryView(a, -1)
    layout = a_view.layout.to_dense()          # a sliced `a` must not over-allocate
    required_size = layout.required_size_in_bytes()
    device.set_current()
    mem = device.allocate(required_size)
    return StridedMemoryView.from_buffer(mem, layout, a_view.dtype)


@pytest.mark.parametrize("a", KINDS.values(), ids=KINDS)
def test_device_tensor_like(a):
    tensor = device_tensor_like(a, sv.Device("cpu"))
    assert (tensor.shape, tensor.dtype, tensor.readonly) == (a.shape, a.dtype, False)
    assert tensor.exporting_obj.size == a.nbytes
    assert tensor.layout.is_dense
    assert tensor.layout.stride_order == sv.StridedMemoryView(a, -1).layout.to_dense().stride_order
    tensor.copy_from(a)
    assert numpy.array_equal(numpy.from_dlpack(tensor), a)


def test_nothing_is_allocated_for_the_gaps():
    a = numpy.zeros((1000, 1000))[::10, ::10]
    tensor = device_tensor_like(a, sv.Device("cpu"))
    assert tensor.exporting_obj.size == 100 * 100 * 8


def test_the_axis_order_is_kept():
    a = numpy.zeros((3, 4, 5)).transpose(1, 2, 0)
    assert device_tensor_like(a, sv.Device("cpu")).strides == (5, 1, 20)
    assert device_tensor_like(a[::-1], sv.Device("cpu")).strides == (5, 1, 20)
