"""torch's table of C functions: that it is used, and where its answers are not taken."""

import arrays_of as of
import pytest
import strideview as sv

View = sv.StridedMemoryView
# What a tensor whose memory is not its values may come to: its values, or one of these.
REFUSED = (BufferError, RuntimeError, ValueError)


@pytest.fixture
def table(torch):
    if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip(f"torch {torch.__version__} has no table")


@pytest.fixture
def no_python_road(torch, table, monkeypatch):
    """The Python methods of tensors fail, so that only the table is left."""

    def fail(*_, **__):
        raise AssertionError("the Python method was called")

    monkeypatch.setattr(torch.Tensor, "__dlpack__", fail)
    monkeypatch.setattr(torch.Tensor, "__dlpack_device__", fail)


@pytest.mark.parametrize("kind", of.TORCH_VIEWS)
def test_check_60_the_table_is_used(torch, no_python_road, kind):
    tensor = of.TORCH_VIEWS[kind](of.torch_tensor(torch, "float32"))
    view = View.from_any_interface(tensor, -1)
    of.assert_place(view, tensor.data_ptr(), tensor.shape, tensor.stride(), "float32")
    assert of.view_bytes(view) == of.torch_bytes(tensor)
    assert view.exporting_obj is tensor


def test_check_60_tensors_of_the_host(torch, no_python_road):
    tensor = torch.arange(6.0).reshape(2, 3).T
    for stream in (-1, None, 1):
        view = View.from_any_interface(tensor, stream)
        assert (view.ptr, view.shape, view.strides) == (tensor.data_ptr(), (3, 2), (1, 3))
        assert (view.is_host_accessible, view.is_device_accessible) == (True, False)


def test_check_60_gradients(torch, table):
    """A tensor that needs a gradient shows its memory, as ``detach`` would."""
    tensor = of.torch_tensor(torch, "float32").requires_grad_()
    view = View.from_any_interface(tensor, -1)
    assert view.ptr == tensor.data_ptr()


def values_or_refused(torch, tensor) -> None:
    for road in ("from_any_interface", "from_dlpack", "from_cuda_array_interface"):
        for stream in (-1, 1):
            try:
                view = getattr(View, road)(tensor, stream)
            except REFUSED:
                continue
            resolved = tensor.resolve_conj().resolve_neg()
            assert of.view_bytes(view) == of.torch_bytes(resolved), f"{road} shows other values than the tensor"


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_check_60_lazy_conjugates(torch, name):
    tensor = torch.full((3, 4), 1 + 2j, dtype=getattr(torch, name), device="cuda").conj()
    assert tensor.is_conj()
    values_or_refused(torch, tensor)


def test_check_60_lazy_negatives(torch):
    tensor = torch.full((3, 4), 1 + 2j, dtype=torch.complex64, device="cuda").conj().imag
    assert tensor.is_neg()
    values_or_refused(torch, tensor)


def test_check_60_subclasses_with_memory(torch):
    class Named(torch.Tensor):
        pass

    tensor = of.torch_tensor(torch, "float32").as_subclass(Named)
    view = View.from_any_interface(tensor, -1)
    of.assert_place(view, tensor.data_ptr(), tensor.shape, tensor.stride(), "float32")
    parameter = torch.nn.Parameter(of.torch_tensor(torch, "float32"))
    assert View.from_any_interface(parameter, -1).ptr == parameter.data_ptr()


def test_check_60_subclasses_without_memory(torch):
    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, device=inner.device)
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            raise NotImplementedError(str(function))

    with pytest.raises(Exception):  # noqa: B017
        View.from_any_interface(Wrapper(of.torch_tensor(torch, "float32")), -1)


def test_check_60_tensors_without_strides(torch):
    for tensor in (torch.eye(3, device="cuda").to_sparse(), torch.zeros(3, device="meta")):
        with pytest.raises((*REFUSED, NotImplementedError)):
            View.from_any_interface(tensor, -1)


def test_check_61_the_table_is_found_once_torch_has_it(torch, no_python_road):
    """A class made later inherits the table."""
    for _ in range(100):
        later = type("Later", (torch.Tensor,), {})
        tensor = of.torch_tensor(torch, "uint8").as_subclass(later)
        assert View.from_any_interface(tensor, -1).ptr == tensor.data_ptr()


def test_check_56_torch_takes_our_table(torch):
    """What torch makes of a view, with the current stream of ours."""
    tensor = of.torch_tensor(torch, "float32")
    assert hasattr(View, "__dlpack_c_exchange_api__")
    back = torch.from_dlpack(View.from_any_interface(tensor, 1))
    assert back.data_ptr() == tensor.data_ptr()
