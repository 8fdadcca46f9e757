"""Runs the short examples and compares what they print."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

PRINTED = {
    "layouts": """\
picture      (480, 640, 3):(2048, 3, 1) x1
bytes in use 921600 of 982912
window       (100, 100, 3):(2048, 3, 1) x1 @205700
upside down  (100, 100, 3):(-2048, 3, 1) x1 @408452
planes       (3, 100, 100):(1, 2048, 3) x1 @205700
3x3 patches  (98, 98, 3, 3, 3)
runs         100 the first of 300 bytes at 205700
as pixels    (480, 1920):(2048, 1) x1
as a list    layout.reshape_needs_copy
dense        (100, 100, 3):(300, 3, 1) x1 needs 30000 bytes
""",
    "views": """\
view     (2, 6, 8):(96, 8, -1) x4 float32
shared   True
zeroed   8 elements of frame 0
shifted  [0.0, 0.0, 48.0, 96.0]
dense    (4, 2, 8):(16, 8, 1) x4 256 bytes
reversed weivedirts
""",
}


@pytest.mark.parametrize(("name", "printed"), PRINTED.items(), ids=PRINTED)
def test_examples(name, printed, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out == printed


# Those with other libraries, each of which has threads or processes of its own; with the libraries that they need.
ENGINES = {
    "numpy_arrays": (
        [],
        """\
column   (1000,):(3,) x4
reshaped (2, 2, 3):(12, 6, 2) x8
refused  layout.reshape_needs_copy
kernel   transposed
planes   [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
flipped  [120, 121, 122] [0, 1, 2]
""",
    ),
    "any_array": (
        [],
        """\
numpy      (4, 3) int16 24 bytes [3, 7, 11]
array      (2,) float64 16 bytes [1.5, 2.5]
memoryview (5,) uint8 5 bytes [119, 105, 101]
strideview (3,) int16 6 bytes [1, 5, 9]
expected an object with DLPack, an array interface or the buffer protocol, got list
""",
    ),
    "image_batches": (
        [],
        """\
crop     (32, 32, 3):(256, -3, 1) x1
kernel   transposed
corners  [0, 50, 100] [37, 87, 137]
sum      2506752
pixels   (8, 32, 32, 3):(3072, 32, 1, 1024) x1 [73, 123, 173]
""",
    ),
    "torch_tensors": (
        ["torch"],
        """\
view     (2, 3, 5, 4):(60, 4, 12, 1) x2 bfloat16
heads    (2, 3, 5, 4) (60, 20, 4, 1) [116.0, 117.0, 118.0, 119.0]
equal    True
zeroed   60 of 120
reversed [3.0, 2.0, 1.0, 0.0]
""",
    ),
    "jax_arrays": (
        ["jax"],
        """\
view     (3, 4):(4, 1) x4 read-only
taken    (2, 4, 3) [18.0, 20.0, 22.0]
sum      552.0 of 552.0
out      [40.0, 0.0, 50.0, 0.0, 60.0, 0.0, 70.0, 0.0]
""",
    ),
    "dask_workers": (
        ["distributed"],
        """\
sums     [1225.0, 6225.0, 11225.0]
back     (10, 50):(50, 1) x8 949.0
frames   [800] bytes for 400000
""",
    ),
}


@pytest.mark.parametrize("name", ENGINES)
def test_examples_with_other_libraries(name):
    libraries, printed = ENGINES[name]
    for library in libraries:
        pytest.importorskip(library)
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.stdout, done.returncode) == (printed, 0), done.stderr[-3000:]
