"""Functions that take arrays of any library."""

import array
import inspect

import numpy as np
import pytest
import strideview
from strideview import StridedMemoryView, args_viewable_as_strided_memory


@args_viewable_as_strided_memory((1,))
def second(_first, it, stream=-1):
    """The argument."""
    return it, stream


def test_an_argument_is_a_proxy():
    x = np.arange(6.0).reshape(2, 3)
    proxy, _ = second(None, x)
    assert proxy.obj is x
    assert proxy.has_dlpack is True
    view = proxy.view(-1)
    assert isinstance(view, StridedMemoryView)
    assert (view.ptr, view.shape, view.exporting_obj) == (x.ctypes.data, (2, 3), x)
    assert proxy.view(stream_ptr=-1).ptr == view.ptr
    assert "ndarray" in repr(proxy)


def test_memory_of_the_host_needs_no_stream():
    assert second(None, np.zeros(3))[0].view().shape == (3,)


class Interface:
    __array_interface__ = np.zeros(3).__array_interface__


class Cuda:
    __cuda_array_interface__ = {"version": 3, "shape": (0,), "typestr": "|u1", "data": (0, False)}


@pytest.mark.parametrize("it", [b"abc", bytearray(3), memoryview(b"abc"), array.array("d", [1, 2, 3]), Interface(), Cuda()])
def test_objects_without_dlpack(it):
    proxy, _ = second(None, it)
    assert proxy.obj is it
    assert proxy.has_dlpack is False
    assert proxy.view(-1).ndim == 1


def test_memory_of_a_device_needs_a_stream():
    proxy, _ = second(None, Cuda())
    with pytest.raises(BufferError):
        proxy.view()


@pytest.mark.parametrize("it", [object(), None, 3, "text", [1, 2], {}])
def test_objects_refused_at_the_call(it):
    with pytest.raises(BufferError, match=type(it).__name__):
        second(None, it)


def test_the_function_is_not_called_with_what_is_refused():
    calls = []

    @args_viewable_as_strided_memory((0, 1))
    def function(*args):
        calls.append(args)

    with pytest.raises(BufferError):
        function(np.zeros(2), object())
    assert calls == []


def test_an_exporter_that_refuses_is_refused_when_viewed():
    released = memoryview(b"abc")
    released.release()
    proxy, _ = second(None, released)
    with pytest.raises(BufferError):
        proxy.view(-1)


def test_missing_arguments():
    for call in (lambda: second(), lambda: second(1), lambda: second(1, it=np.zeros(3))):
        with pytest.raises(IndexError, match="positional argument 1"):
            call()


def test_several_arguments_and_the_rest_as_they_are():
    @args_viewable_as_strided_memory((0, 2, -1))
    def function(*args, **kwargs):
        return args, kwargs

    arrays = [np.zeros(n) for n in range(1, 5)]
    args, kwargs = function(*arrays, key=arrays[0])
    assert [getattr(it, "obj", None) is x for it, x in zip(args, arrays, strict=True)] == [True, False, True, True]
    assert args[1] is arrays[1]
    assert kwargs == {"key": arrays[0]}


def test_no_arguments():
    assert args_viewable_as_strided_memory(())(lambda *args: args)(1, 2) == (1, 2)


def test_positions_must_be_a_tuple():
    for wrong in (0, [0], None, "0"):
        with pytest.raises(TypeError, match="tuple"):
            args_viewable_as_strided_memory(wrong)


def test_the_function_keeps_its_face():
    assert second.__name__ == "second"
    assert second.__doc__ == "The argument."
    assert list(inspect.signature(second).parameters) == ["_first", "it", "stream"]
    assert second(None, np.zeros(1), stream=5)[1] == 5


def test_methods():
    class Holder:
        @args_viewable_as_strided_memory((1,))
        def shape(self, it):
            return it.view(-1).shape

    assert Holder().shape(np.zeros((2, 3))) == (2, 3)


def test_its_examples():
    import doctest

    from strideview import _decorator

    assert doctest.testmod(_decorator).failed == 0
    assert "args_viewable_as_strided_memory" in strideview.__all__
