"""Tests that are for machines without a CUDA driver."""

import ctypes

import pytest


def has_driver():
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


# With a driver, memory that is said to be of CUDA is asked about, and this is none.
no_driver = pytest.mark.skipif(has_driver(), reason="the driver knows that this is no memory of CUDA")
