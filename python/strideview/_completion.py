"""What is done before memory goes to somebody who knows no streams."""

from strideview._strideview import Device, Stream, StridedMemoryView

__all__ = ["complete"]


def complete(view: StridedMemoryView) -> None:
    """Wait for the stream that a view is used on; nothing for memory of the host, or where no stream is known."""
    if view.is_device_accessible:
        stream = view.bytes_view().__cuda_array_interface__["stream"]
        if stream == 1:
            # Each device has default streams of its own, and the current device may be another.
            Device(view.device_id).default_stream.synchronize()
        elif stream == 2:
            Device(view.device_id).synchronize()
        elif stream is not None:
            Stream.from_handle(stream).synchronize()
