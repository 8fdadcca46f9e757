"""MPI, or a skip that says why there is none."""

import pytest

try:
    from mpi4py import MPI
except (ImportError, RuntimeError) as error:  # mpi4py without a library of MPI is a RuntimeError
    pytest.skip(f"no MPI: {error}", allow_module_level=True)

__all__ = ["MPI"]
