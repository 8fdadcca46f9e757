"""Strided memory: layouts, buffers, zero-copy views, and copies between any two of them.

>>> import numpy, strideview as sv
>>> view = sv.StridedMemoryView(numpy.arange(6.0).reshape(2, 3), -1)
>>> view.T.layout
StridedLayout(shape=(3, 2), strides=(1, 3), itemsize=8)
"""

import sys

from strideview._decorator import args_viewable_as_strided_memory
from strideview._strideview import (
    Buffer,
    CopyExplanation,
    Device,
    DType,
    Event,
    MemoryResource,
    Stream,
    StridedLayout,
    StridedMemoryView,
    TensorMap,
    copy,
    empty_like,
    explain_copy,
    release_staging,
    to_device,
    to_host,
)
from strideview.exceptions import (
    AllocationError,
    AxisError,
    ClosedError,
    DeviceError,
    ExchangeError,
    InteropError,
    LayoutError,
    LayoutIndexError,
    LayoutOverflowError,
    StrideviewError,
    ViewError,
)

__all__ = [
    "AllocationError",
    "AxisError",
    "Buffer",
    "ClosedError",
    "CopyExplanation",
    "DType",
    "Device",
    "DeviceError",
    "Event",
    "MemoryResource",
    "ExchangeError",
    "InteropError",
    "LayoutError",
    "LayoutIndexError",
    "LayoutOverflowError",
    "Stream",
    "StridedLayout",
    "StridedMemoryView",
    "StrideviewError",
    "TensorMap",
    "ViewError",
    "args_viewable_as_strided_memory",
    "copy",
    "empty_like",
    "explain_copy",
    "release_staging",
    "to_device",
    "to_host",
]

# A worker of Dask unpickles the class of the first view that it is sent, and then looks up what makes one.
if "distributed.protocol" in sys.modules:
    import strideview.dask  # noqa: F401
