"""``cutensorPermute`` of cuTENSOR 2, through ctypes, from the library that STRIDEVIEW_CUTENSOR names.

It copies any strides of up to 64 axes between floating-point arrays; what it refuses is an exception.
"""

import ctypes as C
import os

NAME = os.environ.get("STRIDEVIEW_CUTENSOR", "")

# cudaDataType_t, and the name of the library's descriptor of the type that it computes in.
TYPES = {
    "float16": (2, "CUTENSOR_COMPUTE_DESC_32F", C.c_float * 1),
    "float32": (0, "CUTENSOR_COMPUTE_DESC_32F", C.c_float * 1),
    "float64": (1, "CUTENSOR_COMPUTE_DESC_64F", C.c_double * 1),
    "complex128": (5, "CUTENSOR_COMPUTE_DESC_64F", C.c_double * 2),
}
IDENTITY = 1


class Library:
    """A handle of the library."""

    def __init__(self):
        self.library = C.CDLL(NAME)
        self.handle = C.c_void_p()
        self.call("cutensorCreate", C.byref(self.handle))

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: status {status}")

    def descriptor(self, array, kind):
        axes, itemsize = array.ndim, array.dtype.itemsize
        extents = (C.c_int64 * axes)(*array.shape)
        strides = (C.c_int64 * axes)(*[stride // itemsize for stride in array.strides])
        found = C.c_void_p()
        alignment = max(each for each in (16, 8, 4, 2, 1) if array.data.ptr % each == 0)
        self.call(
            "cutensorCreateTensorDescriptor", self.handle, C.byref(found), C.c_uint32(axes), extents, strides,
            C.c_int(kind), C.c_uint32(alignment),
        )  # fmt: skip
        return found, (C.c_int32 * axes)(*range(axes))

    def permutation(self, target, source, stream=0):
        """A function that copies one array of CuPy to another of its shape."""
        kind, computed, scalar = TYPES[str(source.dtype)]
        (to, to_modes), (of, of_modes) = self.descriptor(target, kind), self.descriptor(source, kind)
        compute = C.c_void_p.in_dll(self.library, computed)
        operation, plan = C.c_void_p(), C.c_void_p()
        self.call(
            "cutensorCreatePermutation", self.handle, C.byref(operation), of, of_modes, C.c_int(IDENTITY), to, to_modes, compute
        )
        self.call("cutensorCreatePlan", self.handle, C.byref(plan), operation, C.c_void_p(), C.c_uint64(0))
        one = scalar(1)
        pointers = C.c_void_p(source.data.ptr), C.c_void_p(target.data.ptr)
        return lambda: self.call("cutensorPermute", self.handle, plan, one, *pointers, C.c_void_p(stream))


def opened():
    """The library, or None where it is not named."""
    return Library() if NAME else None
