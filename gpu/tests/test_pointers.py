"""Who can reach memory: the answers of ``Buffer.from_handle`` beside what really works."""

import csv
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import driver
import memory_rows
import pytest
import strideview as sv
from memory_rows import ROWS, SIZE, VALUE

PROGRAM = str(pathlib.Path(memory_rows.__file__).resolve())
HERE = pathlib.Path(__file__).resolve().parent

by_row = pytest.mark.parametrize("row", ROWS, ids=[row.name.replace(",", "").replace(" ", "-") for row in ROWS])


def made(row) -> int:
    """The address of the memory of a row, or a skip where this machine cannot make it."""
    driver.use_primary()
    if driver.version() < row.version:
        pytest.skip(f"{row.name}: driver {driver.version()}, wanted {row.version}")
    try:
        return row.make()
    except (driver.DriverError, AttributeError) as error:
        pytest.skip(f"{row.name} cannot be made here: {error}")


def facts(buffer) -> dict[str, object]:
    names = ("is_device_accessible", "is_host_accessible", "is_managed", "device_id")
    return {name: getattr(buffer, name) for name in names}


def expected(row) -> dict[str, object]:
    found = {"is_device_accessible": row.accessible, "is_host_accessible": row.host, "is_managed": row.managed}
    if row.accessible:
        found["device_id"] = -1 if row.name == "malloc" else 0
    elif row.host:
        found["device_id"] = -1
    return found


@pytest.fixture(scope="module")
def record():
    """The table of all rows, kept where the records go."""
    rows: list[dict[str, object]] = []
    yield rows
    folder = os.environ.get("STRIDEVIEW_RECORD")
    if folder and rows:
        with open(pathlib.Path(folder) / "pointers.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def relative(value: int, address: int) -> object:
    return "=" if value == address else value


@by_row
def test_check_80_answers(row, record, device):
    address = made(row)
    buffer = sv.Buffer.from_handle(address, SIZE, owner=row)
    told = memory_rows.told(address)
    pointers = {name: relative(told[name], address) for name in ("device_pointer", "host_pointer")}
    record.append({"memory": row.name, **told, **pointers, "pool": bool(told["pool"]), **facts(buffer)})
    wanted = expected(row)
    assert {name: facts(buffer)[name] for name in wanted} == wanted, told


@by_row
def test_check_80_inside_of_an_allocation(row, device):
    address = made(row) + 256
    buffer = sv.Buffer.from_handle(address, SIZE - 256, owner=row)
    wanted = expected(row)
    assert {name: facts(buffer)[name] for name in wanted} == wanted


@by_row
def test_check_80_device_of_a_view(row, device):
    view = sv.StridedMemoryView.from_buffer(sv.Buffer.from_handle(made(row), SIZE, owner=row), (SIZE,), dtype="uint8")
    if not row.accessible and not row.host:
        with pytest.raises(BufferError):
            view.__dlpack__()
        return
    kind = 13 if row.managed else 2 if not row.host else 3 if row.accessible and row.name != "malloc" else 1
    assert view.__dlpack_device__() == (kind, 0)
    assert (view.is_device_accessible, view.is_host_accessible) == (row.accessible, row.host)


@by_row
def test_check_82_without_a_context(row, device):
    """The same answers, or "unverified" ones that are never a wrong yes."""
    address = made(row)
    with driver.with_context(0):
        buffer = sv.Buffer.from_handle(address, SIZE, owner=row)
        assert driver.current_context() == 0
    assert buffer.is_device_accessible <= row.accessible
    assert buffer.is_host_accessible <= row.host


@by_row
def test_check_82_with_another_context(row, device):
    address = made(row)
    with driver.another_context() as other, driver.with_context(other):
        buffer = sv.Buffer.from_handle(address, SIZE, owner=row)
        assert driver.current_context() == other
    assert buffer.is_device_accessible == row.accessible
    assert buffer.is_host_accessible == row.host


def child(index: int, *proofs: str) -> subprocess.CompletedProcess:
    command = [sys.executable, PROGRAM, str(index), *proofs]
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def children():
    """For each row, what its processes did: one for all that works, and then the first that must
    not; one more for each other that must not."""
    driver.use_primary()
    asked = {}
    for index, row in enumerate(ROWS):
        if driver.version() < row.version:
            continue
        proofs = row.proofs()
        works = [proof for proof, fine in proofs.items() if fine]
        fails = [proof for proof, fine in proofs.items() if not fine]
        runs = [(*works, *fails[:1])] + [(proof,) for proof in fails[1:]]
        asked |= {(index, run): None for run in runs}
    with ThreadPoolExecutor(8) as workers:
        futures = {key: workers.submit(child, key[0], *key[1]) for key in asked}
        return {key: future.result() for key, future in futures.items()}


@by_row
def test_check_80_proved_by_a_child(row, children, device):
    made(row)
    index, proofs = ROWS.index(row), row.proofs()
    runs = {run: done for (of, run), done in children.items() if of == index}
    assert runs
    for run, done in runs.items():
        lines = dict(line.split() for line in done.stdout.splitlines())
        worked = [proof for proof in run if proofs[proof]]
        assert list(lines) == worked, (run, done.returncode, done.stdout, done.stderr[-600:])
        if proofs["device_write"] or row.name.startswith("registered"):
            assert set(lines.values()) <= {str(VALUE)}, lines
        # A fault ends the process: a signal for the host, a status of the driver for the device.
        assert (done.returncode == 0) == (worked == list(run)), done.stderr[-600:]


def test_check_81_addresses_that_are_no_memory(device):
    driver.use_primary()
    freed = driver.answer("cuMemAlloc_v2", SIZE)
    driver.call("cuMemFree_v2", freed)
    reserved = driver.answer("cuMemAddressReserve", 1 << 21, 0, 0, 0)
    for address in (freed, reserved):
        buffer = sv.Buffer.from_handle(address, SIZE)
        assert not buffer.is_device_accessible or driver.attribute(88) == 1
        assert not buffer.is_managed
    driver.call("cuMemAddressFree", reserved, 1 << 21)
    with pytest.raises(ValueError):
        sv.Buffer.from_handle(0, SIZE)
    assert sv.Buffer.from_handle(0, 0).size == 0


def test_check_81_a_device_pointer_that_was_freed_is_refused(device):
    import dlhelp

    freed = driver.answer("cuMemAlloc_v2", SIZE)
    driver.call("cuMemFree_v2", freed)
    if driver.attribute(88):
        pytest.skip("a coherent machine reaches pageable memory")
    with pytest.raises(BufferError):
        sv.StridedMemoryView.from_dlpack(dlhelp.P(data=freed, shape=(4,), strides=(1,), device=(2, 0)), -1)
    dlhelp.drop()


def test_check_82_in_a_process_that_has_not_started_cuda():
    """The driver is loaded but not initialised: the query initialises nothing and says no wrong yes."""
    code = (
        "import ctypes; ctypes.CDLL('libcuda.so.1')\n"
        "import strideview as sv\n"
        "data = ctypes.create_string_buffer(64)\n"
        "buffer = sv.Buffer.from_handle(ctypes.addressof(data), 64, owner=data)\n"
        "print(buffer.is_host_accessible, buffer.is_device_accessible)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    wanted = "True True" if driver.attribute(88) else "True False"
    assert done.stdout.strip() in (wanted, "True False"), done.stderr
