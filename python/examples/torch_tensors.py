"""PyTorch: tensors come in without a copy, whatever their strides, and views go out as tensors of the same memory."""

import strideview as sv
import torch
from strideview import StridedMemoryView
from torch.utils.dlpack import from_dlpack


def main() -> None:
    # The heads of attention: batch, sequence, heads, dim, seen as batch, heads, sequence, dim.
    queries = torch.arange(2 * 5 * 3 * 4, dtype=torch.bfloat16).reshape(2, 5, 3, 4)
    view = StridedMemoryView(queries.transpose(1, 2), -1)
    print("view    ", view.layout, view.dtype)

    # Dense memory of the right size, filled by one copy, and a tensor of it.
    dense = StridedMemoryView.from_buffer(sv.Device("cpu").allocate(view.nbytes), view.layout.to_dense("C"), view.dtype)
    dense.copy_from(view)
    heads = from_dlpack(dense)
    print("heads   ", tuple(heads.shape), heads.stride(), heads[1, 2, 4].tolist())
    print("equal   ", torch.equal(heads, queries.transpose(1, 2)))

    # What is written to the view is in the tensor.
    sv.copy(dense[0], torch.zeros(3, 5, 4, dtype=torch.bfloat16))
    print("zeroed  ", int((heads == 0).sum()), "of", heads.numel())

    # Strides that no tensor of PyTorch has: it reads backwards what a view turns around.
    backwards = torch.empty(4)
    sv.copy(backwards, StridedMemoryView(torch.arange(4.0), -1)[::-1])
    print("reversed", backwards.tolist())


if __name__ == "__main__":
    main()
