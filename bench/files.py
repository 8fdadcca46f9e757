"""A copy of a large .npy file beside NumPy between memmaps and a plain cp, and what is left when it is killed.

    python bench/files.py --folder FOLDER [--shape 1024,1024,1536] [--permute 2,0,1] [--kills 20] [--record]

Makes IN.npy (float32, every element another bit pattern), copies it permuted with `strideview copy`, compares the
result with the source to the last byte, and times NumPy and `cp` in the same run, each with the source in the page
cache and the files of the one before removed and synced. Then the copy is killed (SIGKILL) at random moments: under the
final name there must be nothing, or all of it. Everything that it makes is removed. Needs three times the bytes of the
array on the disk.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy
from report import cpu, record

BLOCK = 1 << 25


def make(path, shape):
    """Writes the array and leaves it in the page cache."""
    array = numpy.lib.format.open_memmap(path, mode="w+", dtype="<u4", shape=shape)
    flat = array.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        part = numpy.arange(start, min(start + BLOCK, flat.size), dtype="u4")
        flat[start : start + BLOCK] = part * numpy.uint32(0x9E3779B1)
    array.flush()
    del array, flat
    # The bits stay; only the name of the dtype changes.
    with open(path, "r+b") as file:
        start = file.read(128)
        file.seek(0)
        file.write(start.replace(b"'<u4'", b"'<f4'"))
    warm(path)


def warm(path):
    with open(path, "rb", buffering=0) as file:
        block = bytearray(1 << 24)
        while file.readinto(block):
            pass


def is_permuted(source, result, axes):
    """Compares to the last byte, by what the elements are: their place in the source."""
    a, b = (numpy.load(path, mmap_mode="r") for path in (source, result))
    wanted_shape = tuple(a.shape[axis] for axis in axes)
    if b.shape != wanted_shape or b.dtype != a.dtype or not b.flags.c_contiguous:
        return False
    if os.path.getsize(result) != 128 + a.nbytes:
        return False
    strides = [stride // 4 for stride in a.transpose(axes).strides]
    for first in range(b.shape[0]):
        index = numpy.uint32(first * strides[0] & 0xFFFFFFFF)
        plane = numpy.array(b[first]).view("u4")
        rest = sum(
            (numpy.arange(n, dtype="u8").reshape([-1 if k == axis else 1 for k in range(plane.ndim)]) * stride)
            for axis, (n, stride) in enumerate(zip(plane.shape, strides[1:], strict=True))
        )
        expected = (rest.astype("u4") + index) * numpy.uint32(0x9E3779B1)
        if not numpy.array_equal(plane, expected):
            return False
    return True


def settle(*paths):
    """Removes files and waits until the disk is quiet."""
    for path in paths:
        pathlib.Path(path).unlink(missing_ok=True)
    os.sync()


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def strideview_copy(program, source, target, permutation, memory):
    """Seconds, and the most memory that was resident (VmHWM), in KiB."""
    command = [program, "copy", source, target, "--permute", permutation, "--memory", memory]
    start = time.perf_counter()
    process = subprocess.Popen(command)
    # Asked of the process itself: what wait4 says has the memory of the parent in it.
    resident = 0
    while process.poll() is None:
        resident = max(resident, high_water(process.pid))
        time.sleep(0.02)
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        sys.exit(f"strideview copy failed: {process.returncode}")
    return seconds, resident


def high_water(pid):
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return max((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), default=0)


def numpy_copy(source, target, axes):
    a = numpy.load(source, mmap_mode="r").transpose(axes)
    b = numpy.lib.format.open_memmap(target, mode="w+", dtype=a.dtype, shape=a.shape)
    b[...] = a


def kill_runs(program, source, target, permutation, memory, axes, seconds, count):
    """How often nothing, a part under another name, and all was found."""
    found = {"nothing": 0, "a part under another name": 0, "all": 0}
    randomness = random.Random(1)
    for _ in range(count):
        command = [program, "copy", source, target, "--permute", permutation, "--memory", memory]
        process = subprocess.Popen(command)
        try:
            process.wait(randomness.uniform(0, 1.05 * seconds))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        parts = list(target.parent.glob(f".{target.name}.*.part"))
        if target.exists():
            if not is_permuted(source, target, axes):
                sys.exit("a wrong or partial output under the final name")
            found["all"] += 1
        elif parts:
            found["a part under another name"] += 1
        else:
            found["nothing"] += 1
        for path in [*parts, target]:
            path.unlink(missing_ok=True)
    return found


def program():
    found = shutil.which("strideview", path=str(pathlib.Path(sys.executable).parent)) or shutil.which("strideview")
    return found or sys.exit("wanted the program strideview, got none: install the wheel, or name it with --program")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="a folder on the disk to measure")
    parser.add_argument("--program", default=None)
    parser.add_argument("--shape", default="1024,1024,1536")
    parser.add_argument("--permute", default="2,0,1")
    parser.add_argument("--memory", default="1GiB")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--skip-peers", action="store_true")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    shape = tuple(int(n) for n in arguments.shape.split(","))
    axes = tuple(int(n) for n in arguments.permute.split(","))
    folder = arguments.folder / f"strideview-files-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        measure(arguments, folder, shape, axes)
    finally:
        shutil.rmtree(folder)


def measure(arguments, folder, shape, axes):
    source, target = folder / "in.npy", folder / "out.npy"
    name = arguments.program or program()
    make(source, shape)
    size = source.stat().st_size
    rows = []

    def row(what, seconds, resident="", note=""):
        rate = f"{size / seconds / 1e9:.2f}" if seconds else ""
        rows.append({"what": what, "seconds": f"{seconds:.2f}" if seconds else "", "GB/s": rate, "resident MiB": resident, "note": note})
        print(rows[-1], flush=True)

    settle()
    warm(source)
    ours, resident = strideview_copy(name, source, target, arguments.permute, arguments.memory)
    row("strideview copy", ours, resident >> 10, f"--memory {arguments.memory}")
    if not is_permuted(source, target, axes):
        sys.exit("the output is wrong")
    row("compared to the last byte", 0)
    settle(target)
    if not arguments.skip_peers:
        peers(source, target, axes, ours, row)
    if not arguments.kills:
        keep(arguments, rows, shape, axes, "files")
        return
    found = kill_runs(name, source, target, arguments.permute, arguments.memory, axes, ours, arguments.kills)
    row(f"killed {arguments.kills} times", 0, note=", ".join(f"{what}: {count}" for what, count in found.items()))
    keep(arguments, rows, shape, axes, "files-killed")


def peers(source, target, axes, ours, row):
    warm(source)
    row("cp", timed(lambda: subprocess.run(["cp", source, target], check=True)), note="no permutation")
    settle(target)
    warm(source)
    theirs = timed(lambda: numpy_copy(source, target, axes))
    row("NumPy between memmaps", theirs, high_water(os.getpid()) >> 10, f"{theirs / ours:.1f} x strideview")
    settle(target)


def keep(arguments, rows, shape, axes, name):
    """Records the rows, if that was asked for."""
    if not arguments.record:
        return
    machine = [f"{cpu()}, {os.cpu_count()} processors; shape {shape}, float32, permuted {axes}"]
    table = [machine, list(rows[0]), *[list(line.values()) for line in rows]]
    print(f"recorded in {record(table, name)}")


if __name__ == "__main__":
    main()
