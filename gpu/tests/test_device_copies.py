"""Copies between two places of a device, beside torch's and CuPy's."""

import itertools

import pytest
import strideview as sv
from strideview import StridedMemoryView


def view(tensor, stream=-1):
    return StridedMemoryView(tensor, stream)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(7,), (64, 64), (65, 129), (3, 100, 70), (33, 20, 17, 5)])
def test_every_permutation_of_axes(torch, dtype, shape):
    dtype = getattr(torch, dtype)
    for order in itertools.permutations(range(len(shape))):
        source = torch.randint(0, 200, shape, device="cuda").to(dtype).permute(order)
        target = torch.zeros(source.shape, dtype=dtype, device="cuda")
        sv.copy(view(target), view(source))
        assert torch.equal(target, source)


def test_slices_broadcasts_and_bytes_between(torch):
    source = torch.arange(10_000, device="cuda").reshape(100, 100)
    target = torch.full((100, 100), -1, device="cuda")
    view(target[::2, 1::3]).copy_from(view(source[::2, 1::3]))
    expected = torch.full((100, 100), -1, device="cuda")
    expected[::2, 1::3] = source[::2, 1::3]
    assert torch.equal(target, expected)
    view(source[0].expand(100, 100)).copy_to(view(target))
    assert torch.equal(target, source[0].expand(100, 100))


def test_reversed_axes_of_cupy(cupy):
    source = cupy.arange(100 * 128, dtype="float32").reshape(100, 128)
    for index in [(slice(None), slice(None, None, -1)), (slice(None, None, -1), slice(None)), (slice(None, None, -2), slice(3, None))]:
        target = cupy.zeros_like(cupy.ascontiguousarray(source[index]))
        sv.copy(StridedMemoryView(target, -1), StridedMemoryView(source[index], -1))
        assert (target == source[index]).all()


def test_overlapping_sides(torch):
    both = torch.arange(5000, device="cuda", dtype=torch.int32)
    expected = both.clone()
    expected[1:] = both[:-1].clone()
    sv.copy(view(both[1:]), view(both[:-1]))
    assert torch.equal(both, expected)


def test_the_stream_orders_the_copy(torch):
    stream = torch.cuda.Stream()
    target = torch.zeros(1 << 22, device="cuda")
    source = torch.zeros(1 << 22, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        source.fill_(3)
        sv.copy(view(target), view(source), stream=stream)
        assert not stream.query()
    stream.synchronize()
    assert (target == 3).all()
    source.fill_(4)
    sv.copy(view(target), view(source), blocking=True)
    assert (target == 4).all()


def test_a_copy_is_captured(torch):
    source = torch.rand(200, 300, device="cuda")
    target = torch.zeros(300, 200, device="cuda")
    to, of = view(target), view(source.T)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        sv.copy(to, of, stream=torch.cuda.current_stream())
    assert not torch.equal(target, source.T)
    for _ in range(2):
        source.uniform_()
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(target, source.T)


def test_the_plan_is_explained(torch):
    source = torch.zeros(512, 512, device="cuda")
    text = str(sv.explain_copy(view(torch.zeros_like(source)), view(source.T)))
    assert "on the device: kernel: tile_4_v_v" in text


def test_refusals(torch):
    source = torch.zeros(4, 4, device="cuda")
    for wrong in [torch.zeros(4, 5, device="cuda"), torch.zeros(4, 4, device="cuda", dtype=torch.int32), torch.zeros(4, device="cuda").expand(4, 4)]:
        with pytest.raises(ValueError):
            sv.copy(view(wrong), view(source))
