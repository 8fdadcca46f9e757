"""Views of the host and of devices between workers of Dask, without pickling what they hold.

It needs distributed, the extra ``strideview[dask]``. Importing it registers views with Dask, on the side that sends. Importing strideview
does the same where distributed is imported already, as it is in a worker that is sent its first view. A worker that may have imported
strideview before that must import this: at the top of the script that starts a local cluster, or by ``--preload strideview.dask``.

Elements travel without gaps, each once where an axis repeats it, in the order of the axes in memory; the view that arrives has the
shape, dtype and read-only flag of the one that was sent, and stride 0 where that had it.

===========  =====================  =====================================================================
memory       family of serializers  what travels
===========  =====================  =====================================================================
of the host  ``dask``               the memory itself, or a copy where it has gaps
of a device  ``cuda``               the memory itself, or a copy on the device: for protocols such as UCX
of a device  ``dask``               a copy on the host, which goes to the device of that number: over TCP
===========  =====================  =====================================================================

What was queued on the stream that a view is used on is done before the frames are handed on.

>>> import numpy, strideview as sv, strideview.dask
>>> from distributed.protocol import deserialize, serialize
>>> view = sv.StridedMemoryView(numpy.arange(6.0).reshape(2, 3), -1).T
>>> header, frames = serialize(view)
>>> header["serializer"], [memoryview(frame).nbytes for frame in frames]
('dask', [48])
>>> deserialize(header, frames).layout
StridedLayout(shape=(3, 2), strides=(1, 3), itemsize=8)
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from dask.sizeof import sizeof
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.serialize import dask_deserialize, dask_serialize

from strideview._completion import complete
from strideview._strideview import Buffer, Device, StridedLayout, StridedMemoryView, _rebuild_view, empty_like

__all__: list[str] = []

# What the rebuilt view is, beside its bytes: names and numbers, which msgpack knows.
_Header: TypeAlias = dict[str, Any]
_PARTS = ("dtype", "itemsize", "shape", "strides", "readonly")


def _sizeof(view: StridedMemoryView) -> int:
    return view.layout.unbroadcast().nbytes


def _to_host_frames(view: StridedMemoryView) -> tuple[_Header, list[Any]]:
    if not view.is_host_accessible:
        header, (frame,) = _to_device_frames(view)
        return header, [memoryview(frame.to_host())]
    _, (*parts, data) = view.__reduce_ex__(5)
    return dict(zip(_PARTS, parts, strict=True)), [memoryview(data)]


def _from_host_frames(header: _Header, frames: list[Any]) -> StridedMemoryView:
    (frame,) = frames
    if "device_id" in header:
        memory = Device(header["device_id"]).allocate(memoryview(frame).nbytes)
        StridedMemoryView.from_buffer(memory, (memory.size,), dtype="uint8").copy_from(frame)
        return _view_of_device(header, memory)
    if memoryview(frame).readonly and not header["readonly"]:
        frame = bytearray(frame)
    dtype, itemsize, shape, strides, readonly = (header[part] for part in _PARTS)
    return _rebuild_view(dtype, itemsize, shape, strides, readonly, frame)


def _to_device_frames(view: StridedMemoryView) -> tuple[_Header, list[Any]]:
    if view.is_host_accessible:
        raise NotImplementedError("wanted memory of a device alone, got memory of the host: the family dask sends it")
    packed = _packed(view)
    complete(packed)
    strides = tuple(old and new for old, new in zip(view.strides, packed.strides, strict=True))
    dtype = None if view.dtype is None else str(view.dtype)
    header = dict(zip(_PARTS, (dtype, view.itemsize, view.shape, strides, view.readonly), strict=True))
    return header | {"device_id": view.device_id}, [packed.bytes_view()]


def _from_device_frames(header: _Header, frames: list[Any]) -> StridedMemoryView:
    frame = StridedMemoryView(frames[0], -1)
    if frame.nbytes == 0:
        return _view_of_device(header, Device(header["device_id"]).allocate(0))
    return _view_of_device(header, Buffer.from_handle(frame.ptr, frame.nbytes, owner=frame))


def _packed(view: StridedMemoryView) -> StridedMemoryView:
    """The elements without gaps, each once where an axis repeats it; in place where they are so already."""
    once = view.view(view.layout.unbroadcast())
    if once.layout.is_contiguous_any:
        return once
    packed = empty_like(once, once.device_id)
    packed.copy_from(once, blocking=True)
    return packed


def _view_of_device(header: _Header, memory: Buffer) -> StridedMemoryView:
    layout = StridedLayout(header["shape"], header["strides"], header["itemsize"])
    return StridedMemoryView.from_buffer(memory, layout, header["dtype"], header["readonly"])


_REGISTRY: tuple[tuple[Any, Callable[..., Any]], ...] = (
    (sizeof, _sizeof),
    (dask_serialize, _to_host_frames),
    (dask_deserialize, _from_host_frames),
    (cuda_serialize, _to_device_frames),
    (cuda_deserialize, _from_device_frames),
)
for _dispatch, _function in _REGISTRY:
    _dispatch.register(StridedMemoryView, _function)
