"""Runs the tests in ``standin`` in a process of their own, which loads the scripted driver."""

import os
import pathlib
import subprocess
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parent
ROOT = TESTS.parents[1]
NAMES = {"win32": "strideview_standin.dll", "darwin": "libstrideview_standin.dylib"}


def library():
    """The stand-in, where cargo or the bundle for GPU machines has put it."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    name = NAMES.get(sys.platform, "libstrideview_standin.so")
    places = [target / "debug" / name, target / "debug" / "deps" / name, ROOT / "rust" / name]
    return next((place for place in places if place.exists()), None)


def test_over_the_standin():
    found = library()
    if found is None:
        pytest.skip("cargo has not built the stand-in driver")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(TESTS / "standin")]
    environment = os.environ | {"STRIDEVIEW_CUDA_DRIVER": str(found)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
