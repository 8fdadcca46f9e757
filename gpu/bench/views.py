"""Nanoseconds per view and per export, beside cuda.core's StridedMemoryView.

Rounds of both are interleaved, and the least time of each counts: a round is disturbed by other work
on the machine, never helped. Results are compared before they are timed. The table goes to standard
output, and to views.csv in the folder that --record or STRIDEVIEW_RECORD names. Libraries that are
not there are left out, and said.
"""

import argparse
import csv
import dataclasses
import gc
import os
import pathlib
import sys
import timeit
from collections.abc import Callable
from typing import Any

import numpy
import strideview as sv

try:
    from cuda.core.utils import StridedMemoryView as Theirs
except ImportError:
    Theirs = None

SHAPE = (5, 3, 7, 11)


@dataclasses.dataclass
class Case:
    """One statement for both; ``names`` makes what it uses, given the class of the views."""

    name: str
    statement: str
    names: Callable[[Any], dict[str, Any]]
    # The largest ratio that is good enough; none where nothing was promised.
    bar: float | None = None
    # Also for cuda.core.
    beside: bool = True


def torch_array() -> Any:
    import torch

    return torch.zeros(SHAPE, device="cuda")


def cupy_array() -> Any:
    import cupy

    return cupy.zeros(SHAPE, "f4")


def jax_array() -> Any:
    import jax

    return jax.device_put(numpy.zeros(SHAPE, "f4")).block_until_ready()


def numba_array() -> Any:
    from numba import cuda

    return cuda.to_device(numpy.zeros(SHAPE, "f4"))


def torch_host_array() -> Any:
    import torch

    return torch.zeros(SHAPE)


ARRAYS = {
    "NumPy": lambda: numpy.zeros(SHAPE, "f4"),
    "torch": torch_array,
    "CuPy": cupy_array,
    "JAX": jax_array,
    "Numba": numba_array,
    "torch on the host": torch_host_array,
}
BARS = {"torch": 0.3, "CuPy": 0.7, "NumPy": 0.5}


def importing(library: str, stream: int, attributes: str = "") -> Case:
    def names(view: Any) -> dict[str, Any]:
        return {"f": view.from_any_interface, "a": ARRAYS[library](), "s": stream}

    call = "v = f(a, s)"
    if attributes:
        return Case(f"view of {library}, and its attributes", f"{call}; {attributes}", names)
    title = f"view of {library}, stream {stream}"
    return Case(title, call, names, BARS.get(library) if stream == -1 else None)


def of_numpy(name: str, function: Callable[[Any], Any]) -> Case:
    def names(view: Any) -> dict[str, Any]:
        return {"f": function(view), "a": ARRAYS["NumPy"](), "s": -1}

    return Case(f"view of NumPy by {name}", "v = f(a, s)", names, BARS["NumPy"])


def exporting(library: str, statement: str, function: Callable[[], Any]) -> Case:
    # torch's tensor below, or NumPy's for the host.
    below = "NumPy" if library == "NumPy" else "torch"

    def names(view: Any) -> dict[str, Any]:
        return {"v": view.from_any_interface(ARRAYS[below](), -1), "f": function()}

    return Case(f"{statement.replace('f(v)', library)} of a view of {below}", statement, names)


def numpy_from_dlpack() -> Any:
    return numpy.from_dlpack


def torch_from_dlpack() -> Any:
    import torch

    return torch.from_dlpack


def cupy_from_dlpack() -> Any:
    import cupy

    return cupy.from_dlpack


def cupy_asarray() -> Any:
    import cupy

    return cupy.asarray


def ours_alone(name: str, statement: str, names: Callable[[Any], dict[str, Any]]) -> Case:
    return Case(name, statement, names, beside=False)


def view_names(view: Any) -> dict[str, Any]:
    return {"v": view.from_any_interface(torch_array(), -1)}


def allocation(view: Any) -> dict[str, Any]:
    if view is sv.StridedMemoryView:
        device = sv.Device(0)
    else:
        from cuda.core import Device

        device = Device(0)
    device.set_current()
    return {"d": device}


def named(case: Case, name: str) -> Case:
    return dataclasses.replace(case, name=name)


CASES = [
    *[importing(library, -1) for library in ARRAYS if library != "JAX"],
    of_numpy("from_dlpack", lambda view: view.from_dlpack),
    of_numpy("the constructor", lambda view: view),
    importing("torch", 1),
    importing("CuPy", 1),
    importing("JAX", 1),
    *[importing(library, -1, "v.ptr, v.shape, v.strides, v.dtype, v.device_id") for library in BARS],
    named(exporting("NumPy", "f(v)", numpy_from_dlpack), "numpy.from_dlpack of a view"),
    named(exporting("torch", "f(v)", torch_from_dlpack), "torch.from_dlpack of a view"),
    named(exporting("CuPy", "f(v)", cupy_from_dlpack), "cupy.from_dlpack of a view"),
    ours_alone("cupy.asarray of a view", "f(v)", lambda view: view_names(view) | {"f": cupy_asarray()}),
    Case("a DLPack capsule, stream -1", "v.__dlpack__(stream=-1, max_version=(1, 3))", view_names),
    ours_alone("the CUDA Array Interface of a view", "v.__cuda_array_interface__", view_names),
    Case("1 KiB allocated and closed", "d.allocate(1024).close()", allocation),
    ours_alone("Buffer.from_handle of device memory", "f(p, 1024)",
               lambda view: {"f": sv.Buffer.from_handle, "a": (a := torch_array()), "p": a.data_ptr()}),
]  # fmt: skip


def agree(case: Case, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Views of the same array shape say the same of it."""
    if not case.statement.startswith("v = f(a, s)"):
        return
    first, second = ours["f"](ours["a"], ours["s"]), theirs["f"](ours["a"], ours["s"])
    for name in ("ptr", "shape", "dtype", "device_id"):
        if getattr(first, name) != getattr(second, name):
            raise AssertionError(f"{case.name}: {name} is {getattr(first, name)!r}, and {getattr(second, name)!r} for cuda.core")


def least(timers: list[timeit.Timer], rounds: int, loops: int) -> list[float]:
    """The least nanoseconds of each, over interleaved rounds."""
    best = [float("inf")] * len(timers)
    for _ in range(rounds):
        for index, timer in enumerate(timers):
            best[index] = min(best[index], timer.timeit(loops) / loops * 1e9)
    return best


def measured(case: Case, rounds: int, loops: int) -> dict[str, Any]:
    spaces = [case.names(sv.StridedMemoryView)]
    if case.beside and Theirs is not None:
        try:
            spaces.append(case.names(Theirs))
            agree(case, *spaces)
            exec(case.statement, dict(spaces[1]))
        except AssertionError:
            raise
        except Exception as error:
            print(f"  {case.name}: cuda.core: {error!r}")
            del spaces[1:]
    times = least([timeit.Timer(case.statement, globals=dict(space)) for space in spaces], rounds, loops)
    ours, theirs = (*times, None)[:2]
    ratio = None if theirs is None else ours / theirs
    met = None if ratio is None or case.bar is None else ratio <= case.bar
    return {"case": case.name, "ours_ns": ours, "cuda_core_ns": theirs, "ratio": ratio, "bar": case.bar, "met": met}


def has_gpu() -> bool:
    try:
        return bool(sv.Device(0).name)
    except sv.DeviceError:
        return False


def shown(row: dict[str, Any]) -> str:
    def number(value: float | None, digits: int) -> str:
        return "" if value is None else f"{value:.{digits}f}"

    met = {None: "", True: "met", False: "MISSED"}[row["met"]]
    return (
        f"{row['case']:<44}{number(row['ours_ns'], 0):>9}{number(row['cuda_core_ns'], 0):>11}"
        f"{number(row['ratio'], 2):>7}{number(row['bar'], 2):>6}  {met}"
    )


def keep(rows: list[dict[str, Any]], folder: pathlib.Path) -> None:
    with (folder / "views.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({name: f"{value:.3f}" if type(value) is float else value for name, value in row.items()})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--loops", type=int, default=1000)
    parser.add_argument("--record", type=pathlib.Path, default=os.environ.get("STRIDEVIEW_RECORD"), help="the folder for views.csv")
    options = parser.parse_args()
    gc.disable()
    rows, failed, gpu = [], 0, has_gpu()
    print(f"{'nanoseconds':<44}{'ours':>9}{'cuda.core':>11}{'ratio':>7}{'bar':>6}")
    for case in CASES:
        try:
            rows.append(measured(case, options.rounds, options.loops))
        except Exception as error:
            missing = isinstance(error, ImportError) or not gpu
            failed += not missing
            print(f"  {case.name}: {'not measured' if missing else 'FAILED'}: {error!r}")
            continue
        print(shown(rows[-1]), flush=True)
    if options.record and rows:
        keep(rows, pathlib.Path(options.record))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
