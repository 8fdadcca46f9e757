"""The decorator that lets a function take arrays of any library."""

import functools
from collections.abc import Callable
from typing import Any

from strideview._strideview import StridedMemoryView

__all__ = ["args_viewable_as_strided_memory"]


class _StridedMemoryViewProxy:
    """An argument that a view can be made of, once the stream is known."""

    __slots__ = ("has_dlpack", "obj")

    def __init__(self, obj: object) -> None:
        self.obj = obj
        self.has_dlpack = hasattr(obj, "__dlpack__")
        if not (self.has_dlpack or _has_other_interface(obj)):
            raise BufferError(
                f"expected an object with DLPack, an array interface or the buffer protocol, got {type(obj).__name__}"
            )

    def view(self, stream_ptr: Any = None) -> StridedMemoryView:
        """The view, for use on a stream; -1 for no ordering."""
        return StridedMemoryView.from_any_interface(self.obj, stream_ptr)

    def __repr__(self) -> str:
        return f"<argument of type {type(self.obj).__name__}, viewable as strided memory>"


def _has_other_interface(obj: object) -> bool:
    if hasattr(obj, "__cuda_array_interface__") or hasattr(obj, "__array_interface__"):
        return True
    try:
        memoryview(obj).release()  # type: ignore[arg-type]
    except TypeError:
        return False
    except (BufferError, ValueError):
        return True  # it has the protocol; what it cannot export is said when the view is made
    return True


def args_viewable_as_strided_memory(arg_indices: tuple[int, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function so that some of its positional arguments may be arrays of any library.

    Inside the function each of them is a proxy: ``.obj`` is the argument, ``.has_dlpack`` says whether it speaks DLPack, and
    ``.view(stream_ptr)`` makes its ``StridedMemoryView`` for use on a stream.

    Parameters
    ----------
    arg_indices : tuple of int
        Which positional arguments; negative ones count from the last.

    Raises
    ------
    BufferError
        At the call: an argument speaks none of the protocols.
    IndexError
        At the call: there is no such positional argument.

    Examples
    --------
    >>> import numpy, strideview
    >>> @strideview.args_viewable_as_strided_memory((0,))
    ... def extents(array, stream=-1):
    ...     return array.view(stream).shape
    >>> extents(numpy.zeros((2, 3))), extents(b"abc")
    ((2, 3), (3,))
    """
    if not isinstance(arg_indices, tuple):
        raise TypeError(f"expected a tuple of positions as arg_indices, got {type(arg_indices).__name__}")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            given = list(args)
            for index in arg_indices:
                if not -len(given) <= index < len(given):
                    raise IndexError(
                        f"{function.__qualname__} wanted an array as positional argument {index}, got {len(given)} positional arguments"
                    )
                given[index] = _StridedMemoryViewProxy(given[index])
            return function(*given, **kwargs)

        return wrapper

    return decorate
