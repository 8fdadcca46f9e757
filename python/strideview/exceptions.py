"""The exceptions of strideview.

Each has two bases, so that it is caught both as an error of strideview and as the built-in exception that users of NumPy
expect, and a stable ``code`` such as ``"layout.axis_out_of_range"``; messages may change, codes do not.
"""

__all__ = [
    "AllocationError",
    "AxisError",
    "ClosedError",
    "DeviceError",
    "ExchangeError",
    "InteropError",
    "LayoutError",
    "LayoutIndexError",
    "LayoutOverflowError",
    "StrideviewError",
    "ViewError",
]


class StrideviewError(Exception):
    """Any error of strideview."""

    code: str

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type["StrideviewError"], tuple[str, str]]:
        return type(self), (str(self), self.code)


class LayoutError(StrideviewError, ValueError):
    """Values that do not make a layout, or that a transform cannot take."""


class AxisError(LayoutError, IndexError):
    """An axis out of range."""


class LayoutIndexError(LayoutError, IndexError):
    """An index out of range."""


class LayoutOverflowError(StrideviewError, OverflowError):
    """A quantity of a layout that does not fit in a signed 64-bit integer."""


class ViewError(StrideviewError, ValueError):
    """A view that does not fit its buffer, or a copy between views that do not go together."""


class InteropError(StrideviewError, BufferError):
    """Memory that cannot be taken over from another library, or handed to it."""


class ExchangeError(InteropError, ValueError):
    """A description in an array interface that makes no view, or a view that such an interface cannot describe."""


class ClosedError(InteropError, ValueError):
    """Use of a buffer after it was closed."""


class AllocationError(StrideviewError, MemoryError):
    """Not enough memory."""


class DeviceError(StrideviewError, RuntimeError):
    """A device that is not there, or that failed."""
