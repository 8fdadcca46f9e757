"""The CUDA driver through ctypes: what the tests do on the GPU without any library between.

``REASON`` says why there is no GPU to test on; it is empty where there is one. Streams are raw
handles, memory is addresses.
"""

import contextlib
import ctypes as C

SUCCESS = 0
# A slow kernel takes this long: much longer than a launch, short enough for many tests.
SLOW = 0.05

PTX = b"""
.version 7.0
.target sm_75
.address_size 64

.visible .entry spin(.param .u64 nanoseconds)
{
    .reg .u64 %start, %now, %limit;
    .reg .pred %more;
    ld.param.u64 %limit, [nanoseconds];
    mov.u64 %start, %globaltimer;
AGAIN:
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %start;
    setp.lt.u64 %more, %now, %limit;
    @%more bra AGAIN;
    ret;
}

.visible .entry move_byte(.param .u64 from, .param .u64 to)
{
    .reg .u64 %source, %target;
    .reg .u16 %byte;
    ld.param.u64 %source, [from];
    ld.param.u64 %target, [to];
    ld.volatile.u8 %byte, [%source];
    st.volatile.u8 [%target], %byte;
    ret;
}
\0"""


class DriverError(RuntimeError):
    """A call of the driver failed."""

    def __init__(self, call: str, status: int):
        super().__init__(f"{call}: {error_name(status)} ({status})")
        self.call, self.status = call, status


class Location(C.Structure):
    _fields_ = [("type", C.c_int), ("id", C.c_int)]


class AccessDesc(C.Structure):
    _fields_ = [("location", Location), ("flags", C.c_int)]


class AllocationProp(C.Structure):
    _fields_ = [("type", C.c_int), ("handles", C.c_int), ("location", Location), ("meta", C.c_void_p), ("flags", C.c_uint8 * 8)]


class PoolProps(C.Structure):
    _fields_ = [("type", C.c_int), ("handles", C.c_int), ("location", Location), ("security", C.c_void_p), ("most", C.c_size_t),
                ("usage", C.c_uint16), ("reserved", C.c_uint8 * 54)]  # fmt: skip


DEVICE, HOST, HOST_NUMA = 1, 2, 3
READ, READ_WRITE = 1, 3


def _load() -> tuple[C.CDLL | None, str]:
    try:
        library = C.CDLL("libcuda.so.1")
    except OSError as error:
        return None, f"no CUDA driver: {error}"
    status, count = library.cuInit(0), C.c_int()
    if status != SUCCESS:
        return library, f"the CUDA driver does not start: status {status}"
    library.cuDeviceGetCount(C.byref(count))
    return library, "" if count.value else "the CUDA driver sees no GPU"


LIBRARY, REASON = _load()


def error_name(status: int) -> str:
    name = C.c_char_p()
    if LIBRARY.cuGetErrorName(status, C.byref(name)) != SUCCESS:
        return "unknown status"
    return name.value.decode()


def status(call: str, *arguments) -> int:
    """Calls; returns the status. Plain integers are passed as 64 bits, which holds addresses too."""
    passed = [C.c_uint64(each & (2**64 - 1)) if type(each) is int else each for each in arguments]
    return getattr(LIBRARY, call)(*passed)


def call(name: str, *arguments) -> None:
    result = status(name, *arguments)
    if result != SUCCESS:
        raise DriverError(name, result)


def answer(name: str, *arguments, kind=C.c_uint64) -> int:
    """Calls a function whose first argument is its output."""
    out = kind()
    call(name, C.byref(out), *arguments)
    return out.value


def attribute(number: int, device: int = 0) -> int:
    return answer("cuDeviceGetAttribute", number, device, kind=C.c_int)


def version() -> int:
    return answer("cuDriverGetVersion", kind=C.c_int)


# Contexts


def use_primary(device: int = 0) -> int:
    """Makes the primary context of the device current; returns it."""
    context = answer("cuDevicePrimaryCtxRetain", device)
    call("cuCtxSetCurrent", context)
    return context


def current_context() -> int:
    return answer("cuCtxGetCurrent")


@contextlib.contextmanager
def with_context(context: int):
    """A current context, 0 for none, for a while."""
    before = current_context()
    call("cuCtxSetCurrent", context)
    try:
        yield
    finally:
        call("cuCtxSetCurrent", before)


@contextlib.contextmanager
def another_context(device: int = 0):
    """A context that is not the primary one, not current."""
    before = current_context()
    context = answer("cuCtxCreate_v2", 0, device)
    call("cuCtxSetCurrent", before)
    try:
        yield context
    finally:
        call("cuCtxDestroy_v2", context)


# Streams and work on them


@contextlib.contextmanager
def new_stream():
    """A stream that does not wait for the legacy default stream."""
    stream = answer("cuStreamCreate", 1)
    try:
        yield stream
    finally:
        status("cuStreamSynchronize", stream)
        call("cuStreamDestroy_v2", stream)


def synchronize(stream: int | None = None) -> None:
    call("cuCtxSynchronize") if stream is None else call("cuStreamSynchronize", stream)


def is_busy(stream: int) -> bool:
    return status("cuStreamQuery", stream) == 600


_FUNCTIONS: dict[tuple[int, str], int] = {}


def kernel(name: str) -> int:
    key = current_context(), name
    if key not in _FUNCTIONS:
        module = answer("cuModuleLoadData", C.c_char_p(PTX))
        _FUNCTIONS[key] = answer("cuModuleGetFunction", module, C.c_char_p(name.encode()))
    return _FUNCTIONS[key]


def launch(name: str, stream: int, *arguments: int) -> None:
    values = [C.c_uint64(value) for value in arguments]
    pointers = (C.c_void_p * len(values))(*[C.addressof(value) for value in values])
    call("cuLaunchKernel", kernel(name), *[C.c_uint(1)] * 6, C.c_uint(0), stream, C.byref(pointers), C.c_void_p())


def spin(stream: int, seconds: float = SLOW) -> None:
    """Keeps the stream busy."""
    launch("spin", stream, int(seconds * 1e9))


def fill(stream: int, address: int, value: int, size: int) -> None:
    call("cuMemsetD8Async", address, C.c_ubyte(value), size, stream)


def copy(stream: int, target: int, source: int, size: int) -> None:
    call("cuMemcpyAsync", target, source, size, stream)


def read(address: int, size: int) -> bytes:
    """The bytes there, on whatever side; waits for the whole device first."""
    synchronize()
    data = C.create_string_buffer(size)
    call("cuMemcpy", C.addressof(data), address, size)
    return data.raw


@contextlib.contextmanager
def memory(size: int, value: int = 0):
    """Device memory, filled with a byte."""
    address = answer("cuMemAlloc_v2", size)
    call("cuMemsetD8_v2", address, C.c_ubyte(value), size)
    synchronize()
    try:
        yield address
    finally:
        synchronize()
        call("cuMemFree_v2", address)


@contextlib.contextmanager
def pinned(size: int, flags: int = 0):
    address = answer("cuMemHostAlloc", size, C.c_uint(flags))
    try:
        yield address
    finally:
        call("cuMemFreeHost", address)


@contextlib.contextmanager
def managed(size: int):
    address = answer("cuMemAllocManaged", size, C.c_uint(1))
    try:
        yield address
    finally:
        call("cuMemFree_v2", address)


def warm() -> None:
    """Loads kernels and the first launches, so that a later launch takes no time on the host."""
    with new_stream() as stream, memory(2) as address:
        spin(stream, 0.0)
        fill(stream, address, 1, 2)
        copy(stream, address, address + 1, 1)
        synchronize(stream)
