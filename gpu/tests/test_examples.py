"""Runs the examples for a GPU and compares what they print."""

import importlib
import pathlib
import subprocess
import sys

import pytest
from conftest import leave, library

EXAMPLES = pathlib.Path(__file__).parents[2] / "python" / "examples"

PRINTED = {
    "cupy": """\
view     (6, 4):(-8, 2) x4 float32
taken    (4, 6) [420.0, 340.0, 260.0, 180.0, 100.0, 20.0]
equal    True
square   [0, 4, 8, 12]
""",
    "numba": """\
view     (24, 32, 3):(128, 1, 3072) x4
scaled   [2.0, 3.0, 4.0] untouched [1.0, 1.0, 1.0] [1.0, 1.0, 1.0]
sum      13824.0 was 9216.0
""",
    "jax": """\
array    (2, 3, 48, 64) [9218.0, 9221.0]
largest  [18429.0, 18430.0, 18431.0]
back     (3, 4) [8.0, 17.0, 27.0, 38.0]
""",
    "from_file": """\
part     (64, 96, 32):(2, 128, 12288) x2 read-only
there    (64, 96, 32):(3072, 32, 1) x2 393216 bytes
element  12550 is 12550
as it is (64, 96, 32):(1, 64, 6144) x2 True
""",
}


def numba():
    """Numba's compiler, which in numba-cuda 0.30 does not go with NumPy 2.5."""
    library("numba.cuda")
    try:
        importlib.import_module("numba.cuda.np.arrayobj")
    except AttributeError as error:
        leave("numba", f"numba.cuda cannot compile: {error}")


NEEDS = {"cupy": lambda: library("cupy"), "jax": lambda: library("jax"), "numba": numba, "from_file": lambda: None}


@pytest.mark.parametrize("name", PRINTED)
def test_examples(device, name):
    NEEDS[name]()
    command = [sys.executable, str(EXAMPLES / f"gpu_{name}.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.stdout, done.returncode) == (PRINTED[name], 0), done.stderr[-3000:]
