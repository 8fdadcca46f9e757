"""Descriptors of views: a kernel loads boxes by them, which hold what the indices of the view say."""

import ctypes as C
import itertools

import driver
import numpy as np
import pytest
import strideview as sv

View = sv.StridedMemoryView

# For each rank a kernel that loads one box into shared memory, aligned to 1024 bytes as swizzles want it, and
# writes it out as it lies there.
SOURCE = """
struct alignas(64) CUtensorMap { char opaque[128]; };

__device__ void begin(unsigned barrier, int bytes) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(barrier) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ void finish(unsigned barrier) {
    int done = 0;
    while (!done) {
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(barrier) : "memory");
    }
}

#define KERNEL(rank, places, ...) \\
extern "C" __global__ void load_##rank( \\
    const __grid_constant__ CUtensorMap map, int a, int b, int c, int d, int e, int bytes, unsigned char* out) { \\
    extern __shared__ unsigned char shared[]; \\
    __shared__ __align__(8) unsigned long long barrier; \\
    unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier); \\
    unsigned first = (unsigned)__cvta_generic_to_shared(shared); \\
    unsigned dst = (first + 1023) / 1024 * 1024; \\
    unsigned char* box = shared + (dst - first); \\
    if (threadIdx.x == 0) { \\
        begin(bar, bytes); \\
        asm volatile( \\
            "cp.async.bulk.tensor." #rank "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" \\
            " [%0], [%1, {" places "}], [%2];" \\
            :: "r"(dst), "l"(&map), "r"(bar), __VA_ARGS__ : "memory"); \\
    } \\
    __syncthreads(); \\
    finish(bar); \\
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) out[i] = box[i]; \\
}

KERNEL(1, "%3", "r"(a))
KERNEL(2, "%3, %4", "r"(a), "r"(b))
KERNEL(3, "%3, %4, %5", "r"(a), "r"(b), "r"(c))
KERNEL(4, "%3, %4, %5, %6", "r"(a), "r"(b), "r"(c), "r"(d))
KERNEL(5, "%3, %4, %5, %6, %7", "r"(a), "r"(b), "r"(c), "r"(d), "r"(e))

extern "C" __global__ void dump(const __grid_constant__ CUtensorMap map, unsigned char* out) {
    if (threadIdx.x < 128) out[threadIdx.x] = map.opaque[threadIdx.x];
}
"""


@pytest.fixture(scope="module")
def module():
    cupy = pytest.importorskip("cupy")
    if cupy.cuda.Device(0).compute_capability < "90":
        pytest.skip("tensor maps need compute capability 9.0")
    cupy.cuda.Device(0).use()
    return cupy.RawModule(code=SOURCE, options=("-std=c++17",))


def arguments(tensor_map, index):
    """Coordinates of the box that begins at an index of the view, in the order of the descriptor."""
    coordinates = [index[axis] for axis in tensor_map.axes]
    return (coordinates + [0] * 5)[:5], tensor_map.box_nbytes


def load(cupy, module, tensor_map, index, dtype):
    """The box that begins at an index of the view, as an array with the axes of the view."""
    coordinates, size = arguments(tensor_map, index)
    out = cupy.full(size, 0xEE, "u1")
    kernel = module.get_function(f"load_{len(tensor_map.axes)}")
    values = [*[C.c_int(each) for each in coordinates], C.c_int(size), C.c_void_p(out.data.ptr)]
    pointers = (C.c_void_p * 8)(tensor_map.ptr, *[C.addressof(each) for each in values])
    grid = [C.c_uint(each) for each in (1, 1, 1, 128, 1, 1, size + 1024)]
    driver.call("cuLaunchKernel", C.c_void_p(kernel.kernel.ptr), *grid, C.c_void_p(1), C.byref(pointers), C.c_void_p())
    driver.synchronize()
    shape = tensor_map.box_dim[::-1]
    box = cupy.asnumpy(out).view(dtype).reshape(shape)
    order = np.argsort(tensor_map.axes[::-1])
    return box.transpose(order)


def expected(array, index, box_dim, fill=0):
    """What lies there by NumPy's indexing, with a fill outside."""
    found = np.full(box_dim, fill, array.dtype)
    places = itertools.product(*[range(extent) for extent in box_dim])
    for place in places:
        at = tuple(first + step for first, step in zip(index, place, strict=True))
        if all(0 <= each < extent for each, extent in zip(at, array.shape, strict=True)):
            found[place] = array[at]
    return found


def starts(tensor_map, shape, step):
    """Where boxes begin: inside, over each edge, and outside; along the innermost axis at whole 16 bytes."""
    inner = tensor_map.axes[0]

    def at(outer, along):
        return tuple(along if axis == inner else outer(extent) for axis, extent in enumerate(shape))

    last = (shape[inner] - 1) // step * step
    return [
        at(lambda extent: 0, 0),
        at(lambda extent: min(2, extent - 1), step),
        at(lambda extent: extent - 1, last),
        at(lambda extent: -1, 0),
        at(lambda extent: extent, 0),
    ]


CASES = {
    "rows": lambda a: (a, (4, 16)),
    "transposed": lambda a: (a.T, (16, 4)),
    "inside, by an offset": lambda a: (a[3:40, 16:48], (4, 16)),
    "every other row": lambda a: (a[::2], (4, 16)),
    "three axes permuted": lambda a: (a.reshape(8, 8, 64).transpose(1, 0, 2), (2, 4, 16)),
    "five axes": lambda a: (a.reshape(2, 4, 2, 4, 64).transpose(3, 1, 4, 0, 2), (2, 1, 16, 2, 2)),
    "one axis": lambda a: (a.reshape(-1), (64,)),
    "an axis of extent 1": lambda a: (a.reshape(64, 1, 64), (4, 1, 16)),
}


@pytest.mark.parametrize("dtype", ["f4", "u1"])
@pytest.mark.parametrize("case", CASES)
def test_a_box_holds_what_the_indices_say(cupy, module, case, dtype):
    host = (np.arange(64 * 64) % 251 + 1).astype(dtype).reshape(64, 64)
    there = cupy.asarray(host)
    array, box_dim = CASES[case](there)
    wanted, _ = CASES[case](host)
    tensor_map = View(array, -1).as_tensor_map(box_dim)
    assert tensor_map.ptr % 64 == 0 and len(bytes(tensor_map)) == 128
    for index in starts(tensor_map, wanted.shape, 16 // wanted.itemsize):
        box = load(cupy, module, tensor_map, index, dtype)
        np.testing.assert_array_equal(box, expected(wanted, index, box_dim), err_msg=f"{case} at {index}")


def test_a_broadcast_axis(cupy, module):
    host = np.arange(64, dtype="f4")
    there = cupy.asarray(host)
    view = View(there, -1).broadcast_to((3, 5, 64))
    tensor_map = view.as_tensor_map((2, 4, 32))
    wanted = np.broadcast_to(host, (3, 5, 64))
    for index in [(0, 0, 0), (1, 3, 20), (2, 4, 48)]:
        box = load(cupy, module, tensor_map, index, "f4")
        np.testing.assert_array_equal(box, expected(wanted, index, (2, 4, 32)))


def test_steps_inside_of_a_box_and_nans_outside(cupy, module):
    host = np.arange(64 * 64, dtype="f4").reshape(64, 64)
    there = cupy.asarray(host)
    tensor_map = View(there, -1).as_tensor_map((8, 16), element_strides=(2, 1), oob_fill="nan")
    assert tensor_map.box_nbytes == 4 * 16 * 4
    coordinates, size = arguments(tensor_map, (58, 56))
    out = cupy.zeros(size, "u1")
    values = (np.frombuffer(tensor_map, "V128"), *map(np.int32, coordinates), np.int32(size), out)
    module.get_function("load_2")((1,), (128,), values, shared_mem=size + 1024)
    box = cupy.asnumpy(out).view("f4").reshape(4, 16)
    np.testing.assert_array_equal(box[:3, :8], host[58:64:2, 56:])
    assert np.isnan(box[3]).all() and np.isnan(box[:, 8:]).all()


def test_a_swizzled_box_is_permuted_by_sixteen_bytes(cupy, module):
    host = np.arange(8 * 32, dtype="f4").reshape(8, 32)
    there = cupy.asarray(host)
    tensor_map = View(there, -1).as_tensor_map((8, 32), swizzle="128B", l2_promotion="128B")
    box = load(cupy, module, tensor_map, (0, 0), "f4")
    pieces = host.reshape(8, 8, 4)
    wanted = np.stack([[pieces[row, column ^ row] for column in range(8)] for row in range(8)])
    np.testing.assert_array_equal(box, wanted.reshape(8, 32))


def test_cupy_takes_the_bytes_by_value(cupy, module):
    there = cupy.arange(64 * 64, dtype="f4").reshape(64, 64)
    tensor_map = View(there, -1).as_tensor_map((4, 16))
    out = cupy.zeros(128, "u1")
    module.get_function("dump")((1,), (128,), (np.frombuffer(tensor_map, "V128"), out))
    assert cupy.asnumpy(out).tobytes() == bytes(tensor_map)


def test_cuda_bindings_take_the_object(cupy, module):
    bindings = pytest.importorskip("cuda.bindings.driver")
    there = cupy.arange(64 * 64, dtype="f4").reshape(64, 64)
    tensor_map = View(there, -1).as_tensor_map((4, 16))
    out = cupy.zeros(128, "u1")
    kernel = bindings.CUfunction(module.get_function("dump").kernel.ptr)
    given = ((tensor_map, out.data.ptr), (None, C.c_void_p))
    (status,) = bindings.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, 1, given, 0)
    assert int(status) == 0
    assert cupy.asnumpy(out).tobytes() == bytes(tensor_map)


@pytest.mark.parametrize("arguments", [{}, {"swizzle": 2, "l2_promotion": 1}, {"element_strides": (2, 1), "oob_fill": 1}])
def test_cuda_core_makes_the_same_descriptor(cupy, module, arguments):
    core = pytest.importorskip("cuda.core")
    utils = pytest.importorskip("cuda.core.utils")
    theirs = getattr(core, "StridedMemoryView", None) or utils.StridedMemoryView
    if not hasattr(theirs, "as_tensor_map"):
        pytest.skip("this cuda.core has no tensor maps")
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    array = cupy.arange(16 * 8 * 64, dtype="f4").reshape(16, 8, 64)
    options = dict(arguments)
    if "element_strides" in options:
        options["element_strides"] = (1, *options["element_strides"])
    their_options = dict(options)
    for name, kind in (("swizzle", "Swizzle"), ("l2_promotion", "L2Promotion"), ("oob_fill", "OOBFill")):
        if name in options:
            from cuda.core import _tensor_map as enumerations

            their_options[name] = getattr(enumerations, f"TensorMap{kind}")(options[name])
    ours = View(array, -1).as_tensor_map((2, 4, 16), **options)
    their_map = theirs.from_any_interface(View(array, -1), stream_ptr=-1).as_tensor_map((2, 4, 16), **their_options)
    program = core.Program(SOURCE, "c++", core.ProgramOptions(arch="sm_90", std="c++17"))
    kernel = program.compile("cubin").get_kernel("dump")
    out = cupy.zeros(128, "u1")
    cupy.cuda.runtime.deviceSynchronize()
    core.launch(stream, core.LaunchConfig(grid=1, block=128), kernel, their_map, out.data.ptr)
    stream.sync()
    assert cupy.asnumpy(out).tobytes() == bytes(ours)


def test_refusals(cupy):
    array = cupy.zeros((16, 65), "f4")
    with pytest.raises(ValueError, match="axis 0 wanted a stride from 0 to below 2\\^40 bytes that is a multiple of 16, got 260"):
        View(array, -1).as_tensor_map((4, 16))
    with pytest.raises(ValueError, match="lie side by side"):
        View(array[:, ::2], -1).as_tensor_map((4, 16))
    with pytest.raises(BufferError, match="memory of the host"):
        View(np.zeros((16, 64), "f4"), -1).as_tensor_map((4, 16))
