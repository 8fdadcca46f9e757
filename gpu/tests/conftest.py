"""A CUDA driver, or else every test here is skipped; and the libraries that tests ask for by name.

``STRIDEVIEW_REQUIRE`` lists what must be there, with commas: ``cuda`` for the driver, or a library.
For want of one of those a test fails instead of being skipped.
"""

import importlib
import os
import pathlib
import sys

import driver
import pytest

# The DLPack inspector of the other tests.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python" / "tests"))

REQUIRED = [name for name in os.environ.get("STRIDEVIEW_REQUIRE", "").split(",") if name]


def leave(what: str, reason: str) -> None:
    """Skips the test, or fails it where that is required."""
    if what in REQUIRED:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def pytest_runtest_setup(item):
    if driver.REASON:
        leave("cuda", driver.REASON)


def library(name: str):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        leave(name.partition(".")[0], f"{name} cannot be imported: {error}")


@pytest.fixture
def torch(device):
    torch = library("torch")
    if not torch.cuda.is_available():
        leave("torch", "torch sees no GPU")
    torch.cuda.set_device(0)
    return torch


@pytest.fixture
def cupy(device):
    cupy = library("cupy")
    cupy.cuda.Device(0).use()
    return cupy


@pytest.fixture
def jax(device):
    jax = library("jax")
    if not any(each.platform == "gpu" for each in jax.devices()):
        leave("jax", "jax sees no GPU")
    return jax


@pytest.fixture
def numba_cuda(device):
    return library("numba.cuda")


@pytest.fixture
def cuda_core(device):
    core = library("cuda.core")
    core.Device(0).set_current()
    return core


@pytest.fixture
def device():
    """The first GPU, made current in the thread of the test."""
    import strideview

    device = strideview.Device(0)
    device.set_current()
    return device
