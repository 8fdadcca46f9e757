"""A DLPack producer and inspector in ctypes, which makes tensors with any field wrong on purpose.

make(...)    -> a PyCapsule describing `buf` exactly as asked (any field may be odd on purpose)
read(cap)    -> dict of what a capsule says, without consuming it
consume(cap) -> rename to used_*; returns the address of the managed struct
finish(addr, versioned) -> call that struct's deleter the way a C consumer does (the GIL is released)
P(...)       -> object with __dlpack__/__dlpack_device__ returning such a capsule
calls        -> list of deleter calls seen so far
drop()       -> let go of the capsules made so far (their destructors run now)

By default every capsule made here is also held by this module until drop(), so that its destructor - Python code
behind ctypes - never runs while a library has an exception pending.  hold=False gives the strict form: the capsule
dies as soon as the library lets go of it, so a library that drops it with an exception set shows SystemError, as
NumPy does today.
"""
import atexit
import ctypes as C

api = C.pythonapi
DESTR = C.CFUNCTYPE(None, C.py_object)
RAWDESTR = C.CFUNCTYPE(None, C.c_void_p)
api.PyCapsule_New.restype = C.py_object
api.PyCapsule_New.argtypes = [C.c_void_p, C.c_char_p, C.c_void_p]
api.PyCapsule_IsValid.restype = C.c_int
api.PyCapsule_IsValid.argtypes = [C.py_object, C.c_char_p]
api.PyCapsule_GetPointer.restype = C.c_void_p
api.PyCapsule_GetPointer.argtypes = [C.py_object, C.c_char_p]
api.PyCapsule_SetName.restype = C.c_int
api.PyCapsule_SetName.argtypes = [C.py_object, C.c_char_p]
api.PyCapsule_GetName.restype = C.c_char_p
api.PyCapsule_GetName.argtypes = [C.py_object]


class DLDevice(C.Structure):
    _fields_ = [("type", C.c_int32), ("id", C.c_int32)]


class DLDataType(C.Structure):
    _fields_ = [("code", C.c_uint8), ("bits", C.c_uint8), ("lanes", C.c_uint16)]


class DLTensor(C.Structure):
    _fields_ = [("data", C.c_void_p), ("device", DLDevice), ("ndim", C.c_int32), ("dtype", DLDataType),
                ("shape", C.POINTER(C.c_int64)), ("strides", C.POINTER(C.c_int64)), ("byte_offset", C.c_uint64)]


class Managed(C.Structure):
    _fields_ = [("t", DLTensor), ("ctx", C.c_void_p), ("deleter", C.c_void_p)]


class ManagedV(C.Structure):
    _fields_ = [("major", C.c_uint32), ("minor", C.c_uint32), ("ctx", C.c_void_p), ("deleter", C.c_void_p),
                ("flags", C.c_uint64), ("t", DLTensor)]


DEL = C.CFUNCTYPE(None, C.c_void_p)
calls, _keep, _held = [], {}, []
N0, U0, N1, U1 = b"dltensor", b"used_dltensor", b"dltensor_versioned", b"used_dltensor_versioned"


@DEL
def _deleter(p):
    calls.append(p)
    _keep.pop(p, None)


@RAWDESTR
def _capsule_destr(p):
    # runs when a capsule dies: an unconsumed one must run the tensor deleter, a used one must not
    getname = C.pythonapi["PyCapsule_GetName"]
    getptr = C.pythonapi["PyCapsule_GetPointer"]
    getname.restype, getname.argtypes = C.c_char_p, [C.c_void_p]
    getptr.restype, getptr.argtypes = C.c_void_p, [C.c_void_p, C.c_char_p]
    name = getname(p)
    if name in (N0, N1):
        m = getptr(p, name)
        fn = _struct(m, name == N1).deleter
        if fn:
            DEL(fn)(m)


def _struct(addr, versioned):
    return (ManagedV if versioned else Managed).from_address(addr)


def make(data, shape, strides=None, dtype=(2, 32, 1), device=(1, 0), byte_offset=0, versioned=True,
         version=(1, 0), flags=0, deleter=True, keep=None, ndim=None, hold=True):
    """strides=None gives a NULL pointer; `data` is an address (int) or None for NULL."""
    n = len(shape)
    sh = (C.c_int64 * max(n, 1))(*shape)
    st = None if strides is None else (C.c_int64 * max(n, 1))(*strides)
    m = ManagedV() if versioned else Managed()
    t = m.t
    t.data, t.device, t.ndim = data, DLDevice(*device), n if ndim is None else ndim
    t.dtype = DLDataType(*dtype)
    t.shape = C.cast(sh, C.POINTER(C.c_int64))
    if st is not None:
        t.strides = C.cast(st, C.POINTER(C.c_int64))
    t.byte_offset = byte_offset
    m.deleter = C.cast(_deleter, C.c_void_p).value if deleter else None
    if versioned:
        m.major, m.minor, m.flags = version[0], version[1], flags
    addr = C.addressof(m)
    _keep[addr] = (m, sh, st, keep)
    cap = api.PyCapsule_New(addr, N1 if versioned else N0, C.cast(_capsule_destr, C.c_void_p))
    if hold:
        _held.append(cap)
    return cap


@atexit.register
def drop():
    _held.clear()


def read(cap):
    for name, v in ((N1, True), (U1, True), (N0, False), (U0, False)):
        if api.PyCapsule_IsValid(cap, name):
            s = _struct(api.PyCapsule_GetPointer(cap, name), v)
            t = s.t
            n = t.ndim
            return dict(name=name.decode(), version=(s.major, s.minor) if v else None, flags=s.flags if v else None,
                        data=t.data, byte_offset=t.byte_offset, device=(t.device.type, t.device.id), ndim=n,
                        dtype=(t.dtype.code, t.dtype.bits, t.dtype.lanes),
                        shape=tuple(t.shape[i] for i in range(n)) if n and t.shape else ((), None)[n > 0],
                        strides=tuple(t.strides[i] for i in range(n)) if t.strides and n else None,
                        deleter=bool(s.deleter))
    raise ValueError("not a DLPack capsule")


def consume(cap):
    v = bool(api.PyCapsule_IsValid(cap, N1))
    if not v and not api.PyCapsule_IsValid(cap, N0):
        raise ValueError("capsule already consumed")
    a = api.PyCapsule_GetPointer(cap, N1 if v else N0)
    api.PyCapsule_SetName(cap, U1 if v else U0)
    return a, v


def finish(a, v):
    fn = _struct(a, v).deleter
    if fn:
        DEL(fn)(a)


class P:
    """DLPack producer; kw go to make(); log keeps the keywords each __dlpack__ call received."""

    def __init__(self, arr=None, *, data=None, shape=None, max_version_ok=True, raises=None, **kw):
        self.arr, self.kw, self.log, self.raises, self.mvok = arr, kw, [], raises, max_version_ok
        self.data = arr.ctypes.data if data is None and arr is not None else data
        self.shape = arr.shape if shape is None else shape

    def __dlpack_device__(self):
        return self.kw.get("device", (1, 0))

    def __dlpack__(self, **k):
        self.log.append(k)
        if "max_version" in k and not self.mvok:
            raise TypeError("unexpected keyword max_version")
        if self.raises is not None:
            raise self.raises
        return make(self.data, self.shape, keep=self.arr, **self.kw)
