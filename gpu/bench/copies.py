"""Copies between two places of a device, GB/s, beside torch, CuPy, nvmath, cuTENSOR and the driver's own copy.

Each case is checked before it is timed. Engines and memcpy take turns in one run, and the median of
each counts; "fraction" is of memcpy in the same run. GB/s are useful bytes, read and written, where an
element that is read again counts once. The table goes to standard output, and to device-copies.csv in
the folder that --record or STRIDEVIEW_RECORD names. Libraries that are not there are left
out; cuTENSOR is there where STRIDEVIEW_CUTENSOR names its library.
"""

import argparse
import csv
import os
import pathlib
import statistics
import sys
import time

import cupy
import cutensor
import strideview as sv
import torch

try:
    from nvmath.internal.ndbuffer import NDBuffer
    from nvmath.internal.tensor_wrapper import maybe_register_package
    from nvmath.internal.utils import get_or_create_stream

    maybe_register_package("cupy")
except ImportError:
    NDBuffer = None

CUTENSOR = cutensor.opened()


def permuted(shape, order, dtype):
    return lambda: fresh(shape, dtype).permute(order)


def fresh(shape, dtype):
    count = 1
    for extent in shape:
        count *= extent
    size = count * torch.empty((), dtype=dtype).element_size()
    return torch.randint(0, 255, (size,), dtype=torch.uint8, device="cuda").view(dtype).reshape(shape)


f32, f64, f16, u8, c128 = torch.float32, torch.float64, torch.float16, torch.uint8, torch.complex128
# Name, source, bar: the fraction of memcpy that is wanted.
CASES = [
    ("contiguous f32", lambda: fresh((1 << 27,), f32), 0.99),
    ("2-D transpose f32 11584", permuted((11584, 11584), (1, 0), f32), 0.94),
    ("2-D transpose u8 23168", permuted((23168, 23168), (1, 0), u8), 0.88),
    ("2-D transpose u8 23169", permuted((23169, 23169), (1, 0), u8), 0.80),
    ("2-D transpose f16 16384", permuted((16384, 16384), (1, 0), f16), 0.92),
    ("2-D transpose f64 8192", permuted((8192, 8192), (1, 0), f64), 0.94),
    ("2-D transpose c128 5792", permuted((5792, 5792), (1, 0), c128), 0.94),
    ("(64M, 2) transposed f32", permuted((1 << 26, 2), (1, 0), f32), 0.90),
    ("NHWC to NCHW u8", permuted((1024, 416, 416, 3), (0, 3, 1, 2), u8), 0.85),
    ("NCHW to NHWC u8", permuted((1024, 3, 416, 416), (0, 2, 3, 1), u8), 0.85),
    ("NHWC to NCHW f16", permuted((64, 112, 112, 256), (0, 3, 1, 2), f16), 0.96),
    ("BSHD to BHSD f16", permuted((16, 4096, 32, 128), (0, 2, 1, 3), f16), 0.95),
    ("3-D (2,1,0) f32 512", permuted((512, 512, 512), (2, 1, 0), f32), 0.92),
    ("3-D (0,2,1) f32 512", permuted((512, 512, 512), (0, 2, 1), f32), 0.97),
    ("3-D (1,0,2) f32 512", permuted((512, 512, 512), (1, 0, 2), f32), 0.95),
    ("3-D (1,2,0) f32 509x511x513", permuted((509, 511, 513), (1, 2, 0), f32), 0.80),
    ("5-D reversed axes f32", permuted((32, 40, 48, 56, 40), (4, 3, 2, 1, 0), f32), 0.85),
    ("6-D f32", permuted((24, 24, 24, 24, 24, 16), (3, 0, 5, 1, 4, 2), f32), 0.90),
    ("10-D f32", permuted((8, 6) * 5, (9, 0, 8, 1, 7, 2, 6, 3, 5, 4), f32), 0.88),
    ("step 2 in the last axis f32", lambda: fresh((8192, 16384), f32)[:, ::2], 0.67),
    ("padded rows f32", lambda: fresh((8192, 16384), f32)[:, :16383], 0.95),
    ("broadcast a row f32", lambda: fresh((1, 11584), f32).expand(11584, 11584), 1.0),
    ("broadcast a column f32", lambda: fresh((11584, 1), f32).expand(11584, 11584), 1.0),
    ("reversed last axis f32", lambda: cupy.from_dlpack(fresh((11584, 11584), f32))[:, ::-1], 0.95),
]


def engines(source, target):
    """What each engine does, by name."""
    to, of = sv.StridedMemoryView(target, -1), sv.StridedMemoryView(source, -1)
    found = {"strideview": lambda: sv.copy(to, of)}
    if isinstance(source, torch.Tensor):
        found["torch"] = lambda: target.copy_(source)
        their_target, their_source = cupy.asarray(target), cupy.asarray(source)
    else:
        their_target, their_source = target, source
    found["cupy"] = lambda: cupy.copyto(their_target, their_source)
    if NDBuffer is not None:
        mine, other = NDBuffer.from_cupy(their_target), NDBuffer.from_cupy(their_source)
        stream = get_or_create_stream(0, None, "cupy")
        found["nvmath"] = lambda: mine.copy_(other, stream=stream)
    if CUTENSOR is not None and str(their_source.dtype) in cutensor.TYPES:
        try:
            found["cutensor"] = CUTENSOR.permutation(their_target, their_source)
        except RuntimeError as error:
            print(f"cutensor refuses: {error}", file=sys.stderr)
    return found


def milliseconds(work, repeats):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    times = []
    for _ in range(repeats):
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def read_bytes(source):
    """Bytes of the elements that are read, each counted once."""
    strides = source.stride() if isinstance(source, torch.Tensor) else source.strides
    count = 1
    for extent, stride in zip(source.shape, strides, strict=True):
        count *= extent if stride != 0 else 1
    return count * source.dtype.itemsize


def measure(name, make, bar):
    source = make()
    if isinstance(source, torch.Tensor):
        target = torch.empty(source.shape, dtype=source.dtype, device="cuda")
        clear = target.zero_
        expected = lambda: torch.equal(target.view(torch.uint8), source.contiguous().view(torch.uint8))
    else:
        target = cupy.empty(source.shape, source.dtype)
        clear = lambda: target.fill(0)
        expected = lambda: bool((target.view("u4") == cupy.ascontiguousarray(source).view("u4")).all())
    payload = target.numel() * target.element_size() if isinstance(target, torch.Tensor) else target.nbytes
    plain, other = torch.empty(payload, dtype=torch.uint8, device="cuda"), torch.empty(payload, dtype=torch.uint8, device="cuda")
    work = {"memcpy": lambda: plain.copy_(other)} | engines(source, target)
    times = {each: [] for each in work}
    for each, one in list(work.items()):
        try:
            one()
        except Exception as error:
            print(f"{name}: {each} refuses: {type(error).__name__}", file=sys.stderr)
            del work[each], times[each]
            continue
        if each != "memcpy":
            assert expected(), f"{name}: {each} is wrong"
            clear()
        milliseconds(one, 3)
    for _ in range(9):
        for each, one in work.items():
            times[each].append(milliseconds(one, 3))
    base = 2 * payload / statistics.median(times["memcpy"]) / 1e6
    rows = []
    for each, measured in times.items():
        moved = 2 * payload if each == "memcpy" else payload + read_bytes(source)
        speed = moved / statistics.median(measured) / 1e6
        wanted = bar if each == "strideview" else ""
        rows.append([name, each, round(speed), round(speed / base, 3), wanted])
    return rows


def host_time():
    source, target = torch.rand(64, 64, device="cuda").T, torch.empty(64, 64, device="cuda")
    rows = []
    for each, one in engines(source, target).items():
        try:
            one()
        except Exception:
            continue
        best = []
        for _ in range(20):
            torch.cuda.synchronize()
            start = time.perf_counter_ns()
            for _ in range(100):
                one()
            best.append((time.perf_counter_ns() - start) / 100)
        rows.append(["host time of 64x64 transposed f32, ns", each, round(statistics.median(best)), "", 4000 if each == "strideview" else ""])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", default=os.environ.get("STRIDEVIEW_RECORD"))
    arguments = parser.parse_args()
    rows = []
    # A small buffer is used before the clock starts: the machine wakes up.
    milliseconds(lambda: fresh((1 << 26,), f32), 20)
    for name, make, bar in CASES:
        rows += measure(name, make, bar)
        torch.cuda.empty_cache()
        cupy.get_default_memory_pool().free_all_blocks()
        print(name, " ".join(f"{each[1]} {each[2]} ({each[3]})" for each in rows if each[0] == name), flush=True)
    rows += host_time()
    for row in rows[-4:]:
        print(*row[:3])
    if arguments.record:
        with (pathlib.Path(arguments.record) / "device-copies.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["case", "engine", "gb_per_s", "fraction_of_memcpy", "bar"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
