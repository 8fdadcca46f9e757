"""The command line as the wheel installs it. What it does is tested in Rust; here, that it is that one, on real files."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import strideview

SCRIPT = pathlib.Path(sys.executable).parent / "strideview"


def run(*arguments, cwd, command=(sys.executable, "-m", "strideview")):
    return subprocess.run([*command, *arguments], cwd=cwd, capture_output=True, text=True, check=False)


def copied(folder, array, *arguments):
    np.save(folder / "in.npy", array)
    result = run("copy", "in.npy", "out.npy", *arguments, cwd=folder)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert sorted(path.name for path in folder.iterdir()) == ["in.npy", "out.npy"]
    return np.load(folder / "out.npy")


@pytest.mark.parametrize(
    "dtype",
    ["?", "<i1", ">i4", "<f8", "<c8", "S5", "<U3", "<M8[ns]", "<m8[25us]", "V7", [("a", "<i2"), ("b", ">f8", (2, 3))]],
    ids=str,
)
def test_every_dtype_comes_back(tmp_path, dtype):
    dtype = np.dtype(dtype)
    numbered = bytes(at % (2 if dtype == bool else 101) for at in range(6 * dtype.itemsize))
    array = np.frombuffer(numbered, dtype).reshape(2, 3)
    result = copied(tmp_path, array, "--permute", "1,0")
    assert result.dtype == dtype
    assert result.tobytes() == array.T.tobytes()


def test_aligned_structures_come_back(tmp_path):
    array = np.zeros(4, np.dtype([("a", "i1"), ("b", "f8")], align=True))
    array["b"] = range(4)
    result = copied(tmp_path, array, "--slice", "::-1")
    assert result.dtype == array.dtype
    assert result["b"].tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("source_order", ["C", "F"])
def test_orders(tmp_path, order, source_order):
    array = np.arange(60, dtype="i4").reshape(3, 4, 5).copy(source_order)
    result = copied(tmp_path, array, "--permute", "2,0,1", "--order", order, "--slice", ":, 1:, ::-2")
    assert np.array_equal(result, array[:, 1:, ::-2].transpose(2, 0, 1))
    assert result.flags[f"{order}_CONTIGUOUS"]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_the_format(tmp_path, version):
    array = np.zeros(3, [("größe" if version == (3, 0) else "size", "<f4")])
    array[array.dtype.names[0]] = [1, 2, 3]
    with open(tmp_path / "in.npy", "wb") as file:
        np.lib.format.write_array(file, array, version)
    assert run("copy", "in.npy", "out.npy", cwd=tmp_path).returncode == 0
    result = np.load(tmp_path / "out.npy")
    assert result.dtype == array.dtype
    assert np.array_equal(result, array)


def test_inspecting_and_planning(tmp_path):
    np.save(tmp_path / "in.npy", np.zeros((3, 4), "f4"))
    text = run("inspect", "in.npy", cwd=tmp_path).stdout
    assert "dtype: '<f4'" in text
    assert text.endswith(strideview.StridedLayout((3, 4), None, 4).diagram())
    plan = run("plan", "in.npy", "--permute", "1,0", cwd=tmp_path).stdout
    explained = str(strideview.explain_copy(np.zeros((4, 3), "f4"), np.zeros((3, 4), "f4").T)).splitlines()
    assert explained[:4] == plan.splitlines()[2:6]


def test_the_script_is_installed(tmp_path):
    if not SCRIPT.exists():
        pytest.skip("the package is not installed with its script")
    version = run("--version", cwd=tmp_path, command=[SCRIPT])
    assert (version.returncode, version.stdout[:11]) == (0, "strideview ")
    refused = run("copy", "none.npy", "out.npy", cwd=tmp_path, command=[SCRIPT])
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("strideview: none.npy: open: ")
    assert run("plant", cwd=tmp_path, command=[SCRIPT]).returncode == 2


def test_progress_on_a_terminal(tmp_path):
    pty = pytest.importorskip("pty")
    np.save(tmp_path / "in.npy", np.zeros((400, 500, 60), "f4"))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "strideview", "copy", "in.npy", "out.npy", "--permute", "2,0,1"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        said = b""
        try:
            while chunk := os.read(ours, 4096):
                said += chunk
        except OSError:  # nobody has the other end any more
            pass
    os.close(ours)
    assert process.returncode == 0
    assert b"/45.78 MiB" in said and b"iB/s" in said and b" left" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_copy_leaves_nothing(tmp_path, number):
    array = np.lib.format.open_memmap(tmp_path / "in.npy", "w+", "u1", (400, 500, 600))
    array.flush()
    del array
    command = [sys.executable, "-m", "strideview", "copy", "in.npy", "out.npy", "--permute", "2,0,1", "--memory", "80MiB"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not list(tmp_path.glob(".out.npy.*.part")):
            time.sleep(0.001)
        process.send_signal(number)
        said = process.communicate()[1].decode()
    names = [path.name for path in tmp_path.iterdir()]
    if process.returncode == 0:  # it was quicker than the signal
        assert sorted(names) == ["in.npy", "out.npy"]
        return
    assert (process.returncode, names) == (128 + number, ["in.npy"])
    assert "out.npy was not written" in said
