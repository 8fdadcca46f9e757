"""What the first copy by each family of kernels costs more than a later one, in a process of its own.

The CUDA context exists, and the driver has copied once; what is measured is the loading of the family's
kernels and their first launch, on the host, waited for. 5 ms at most are promised. The driver compiles
nothing, since there is machine code for its GPU: ``loaded_images`` says so in the Rust tests. The table
goes to standard output, and to first-use.csv in the folder that --record or STRIDEVIEW_RECORD names.
"""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import time

import strideview as sv

BAR = 5000
PROCESSES = 5


def transposed(itemsize, side=512):
    return sv.StridedLayout((side, side), None, itemsize), sv.StridedLayout((side, side), (1, side), itemsize)


def rows():
    return sv.StridedLayout((512, 500), None, 4), sv.StridedLayout((512, 500), (512, 1), 4)


def pixels():
    return sv.StridedLayout((3, 1 << 16), None, 1), sv.StridedLayout((3, 1 << 16), (1, 3), 1)


def many_axes():
    # More axes than other kernels take, none of which is merged with the next.
    strides = tuple((2 << axis) - 1 for axis in range(18))
    return sv.StridedLayout((2,) * 18, strides, 1), sv.StridedLayout((2,) * 18, strides, 1)


CASES = {
    "tile_1": lambda: transposed(1),
    "tile_2": lambda: transposed(2),
    "tile_4": lambda: transposed(4),
    "tile_8": lambda: transposed(8),
    "tile_16": lambda: transposed(16),
    "strip": lambda: transposed(1, 4095),
    "direct": rows,
    "interleave": pixels,
    "any": many_axes,
}


def view(device, layout):
    return sv.StridedMemoryView.from_buffer(device.allocate(layout.required_size_in_bytes()), layout)


def child(family):
    """Prints the microseconds of the first call, and of a later one."""
    device = sv.Device(0)
    device.set_current()
    to, of = (view(device, layout) for layout in CASES[family]())
    plain = [device.allocate(1 << 16) for _ in range(2)]
    plain[0].copy_from(plain[1])
    device.synchronize()
    times = []
    for _ in range(20):
        start = time.perf_counter_ns()
        sv.copy(to, of, blocking=True)
        times.append((time.perf_counter_ns() - start) / 1e3)
    plan = str(sv.explain_copy(to, of)).splitlines()[-1]
    print(times[0], statistics.median(times[1:]), plan)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", default=os.environ.get("STRIDEVIEW_RECORD"))
    parser.add_argument("--child", choices=CASES)
    arguments = parser.parse_args()
    if arguments.child:
        return child(arguments.child)
    environment = {name: value for name, value in os.environ.items() if name != "CUDA_FORCE_PTX_JIT"}
    found = []
    for family in CASES:
        for number in range(PROCESSES):
            command = [sys.executable, __file__, "--child", family]
            said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            first, later, plan = said.strip().split(maxsplit=2)
            found.append([family, number, round(float(first)), round(float(later)), round(float(first) - float(later)), BAR])
        more = [row[4] for row in found if row[0] == family]
        print(f"{family:<12} {statistics.median(more):>6.0f} us more, at most {max(more)}; {plan}", flush=True)
    if arguments.record:
        with (pathlib.Path(arguments.record) / "first-use.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["family", "process", "first_us", "later_us", "more_us", "bar_us"])
            writer.writerows(found)


if __name__ == "__main__":
    main()
