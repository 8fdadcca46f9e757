"""Views between ranks of MPI, each a process of this machine."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import with_mpi  # noqa: F401, skips without MPI

PROGRAMS = pathlib.Path(__file__).parent / "ranks" / "programs.py"
MPIEXEC = shutil.which("mpiexec", path=os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")]))

# Open MPI refuses to start more ranks than cores, or as root, unless it is told to; others do not read these.
ALLOWED = {
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "mpi_exchange.py"


def run(ranks, *program):
    """What the ranks print."""
    if MPIEXEC is None:
        pytest.skip("no mpiexec")
    command = [MPIEXEC, "-n", str(ranks), sys.executable, "-m", "mpi4py", *program]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=os.environ | ALLOWED, text=True, **pipes) as started:
        try:
            printed, complaints = started.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            started.terminate()  # which ends the ranks too
            printed, complaints = started.communicate()
    assert started.returncode == 0, printed[-3000:] + complaints[-3000:]
    return printed


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", ["ring", "collectives", "one_sided"])
def test_check_87_between_ranks(name, ranks):
    printed = run(ranks, PROGRAMS, name)
    if "skipped:" in printed:
        pytest.skip(printed.strip().splitlines()[0])
    assert printed.count("done") == ranks


def available():
    """Bytes of memory that can be had, where the system says so."""
    try:
        told = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return 0
    found = re.search(r"MemAvailable:\s+(\d+) kB", told)
    return int(found.group(1)) << 10 if found else 0


def test_check_87_more_than_2_gib():
    if available() < 8 << 30:
        pytest.skip(f"needs 8 GiB of memory, there are {available() >> 30}")
    assert run(2, PROGRAMS, "large").count("done") == 2


def test_the_example():
    assert run(4, EXAMPLE) == """\
column   (6,):(10,) x8
borders  [(3.0, 1.0), (0.0, 2.0), (1.0, 3.0), (2.0, 0.0)]
whole    (6, 32) [0.0, 1.0, 2.0, 3.0] 288.0
"""
