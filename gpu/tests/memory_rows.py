"""Every kind of memory that the driver tells apart, how it is made, and who can reach it.

As a program, ``memory_rows.py NUMBER PROOF...`` makes the memory of a row and really touches it,
printing a line for each touch that worked; the last one may end the process.
"""

import ctypes as C
import dataclasses
import mmap
import sys
from collections.abc import Callable

import driver
from driver import DEVICE, HOST, HOST_NUMA, READ, READ_WRITE, answer, call

SIZE = 1 << 16
VALUE = 0x5A
# Pageable memory is a device's own where the machine is coherent.
PAGEABLE = "pageable"


@dataclasses.dataclass
class Row:
    name: str
    make: Callable[[], int]
    device_reads: bool | str
    device_writes: bool | str
    host: bool
    managed: bool = False
    # The oldest driver that has it.
    version: int = 12000

    @property
    def accessible(self) -> bool:
        return driver.attribute(88) == 1 if self.device_reads == PAGEABLE else bool(self.device_reads)

    def proofs(self) -> dict[str, bool]:
        """What can be tried, in an order in which each may rely on those before; True if it works."""
        pageable = driver.attribute(88) == 1
        real = lambda wanted: pageable if wanted == PAGEABLE else bool(wanted)  # noqa: E731
        return {"device_write": real(self.device_writes), "device_read": real(self.device_reads), "host_read": self.host}


KEPT: list[object] = []  # what lives as long as the process


def malloc() -> int:
    block = C.create_string_buffer(SIZE + 4096)
    KEPT.append(block)
    return (C.addressof(block) + 4095) & ~4095


def host_alloc(flags: int) -> Callable[[], int]:
    return lambda: answer("cuMemHostAlloc", SIZE, C.c_uint(flags))


def registered(flags: int) -> Callable[[], int]:
    def make() -> int:
        block = mmap.mmap(-1, SIZE)
        KEPT.append(block)
        # Touched before: pages that nobody has written are shared ones.
        block[:] = bytes([VALUE]) * SIZE
        address = C.addressof(C.c_char.from_buffer(block))
        call("cuMemHostRegister_v2", address, SIZE, C.c_uint(flags))
        return address

    return make


def managed(flags: int) -> Callable[[], int]:
    return lambda: answer("cuMemAllocManaged", SIZE, C.c_uint(flags))


def allocated() -> int:
    return answer("cuMemAlloc_v2", SIZE)


def allocated_async() -> int:
    address = answer("cuMemAllocAsync", SIZE, 0)
    driver.synchronize()
    return address


def pool(kind: int, location: int, access: bool = False) -> Callable[[], int]:
    """Memory of a new pool; type 1 is pinned, 2 managed."""

    def make() -> int:
        props = driver.PoolProps(type=kind, location=driver.Location(location, 0))
        made = answer("cuMemPoolCreate", C.byref(props))
        if access:
            wanted = driver.AccessDesc(driver.Location(DEVICE, 0), READ_WRITE)
            call("cuMemPoolSetAccess", made, C.byref(wanted), 1)
        address = answer("cuMemAllocFromPoolAsync", SIZE, made, 0)
        driver.synchronize()
        return address

    return make


def mapped(location: int, *access: tuple[int, int]) -> Callable[[], int]:
    """Physical memory of the virtual memory management calls, with access for those locations."""

    def make() -> int:
        prop = driver.AllocationProp(type=1, location=driver.Location(location, 0))
        granule = answer("cuMemGetAllocationGranularity", C.byref(prop), C.c_int(0))
        size = -(-SIZE // granule) * granule
        block = answer("cuMemCreate", size, C.byref(prop), 0)
        address = answer("cuMemAddressReserve", size, 0, 0, 0)
        call("cuMemMap", address, size, 0, block, 0)
        for place, flags in access:
            wanted = driver.AccessDesc(driver.Location(place, 0), flags)
            call("cuMemSetAccess", address, size, C.byref(wanted), 1)
        return address

    return make


ROWS = [
    Row("malloc", malloc, PAGEABLE, PAGEABLE, True),
    Row("cuMemAllocHost", lambda: answer("cuMemAllocHost_v2", SIZE), True, True, True),
    Row("cuMemHostAlloc", host_alloc(0), True, True, True),
    Row("cuMemHostAlloc portable", host_alloc(1), True, True, True),
    Row("cuMemHostAlloc device map", host_alloc(2), True, True, True),
    Row("cuMemHostAlloc write-combined", host_alloc(4), True, True, True),
    Row("registered", registered(0), True, True, True),
    Row("registered portable", registered(1), True, True, True),
    Row("registered device map", registered(2), True, True, True),
    Row("registered read-only", registered(8), True, False, True),
    Row("managed, global", managed(1), True, True, True, managed=True),
    Row("managed, host", managed(2), True, True, True, managed=True),
    Row("cuMemAlloc", allocated, True, True, False),
    Row("cuMemAllocAsync", allocated_async, True, True, False),
    Row("managed pool", pool(2, DEVICE), True, True, True, managed=True, version=13000),
    Row("host pool, no access", pool(1, HOST), False, False, True, version=12060),
    Row("host NUMA pool, no access", pool(1, HOST_NUMA), False, False, True, version=12060),
    Row("host pool, device access", pool(1, HOST, access=True), True, True, True, version=12060),
    Row("mapped device, no access", mapped(DEVICE), False, False, False),
    Row("mapped device, read access", mapped(DEVICE, (DEVICE, READ)), True, False, False),
    Row("mapped device, read-write", mapped(DEVICE, (DEVICE, READ_WRITE)), True, True, False),
    Row("mapped host, device access", mapped(HOST_NUMA, (DEVICE, READ_WRITE)), True, True, False, version=12020),
    Row("mapped host, host access", mapped(HOST_NUMA, (HOST_NUMA, READ_WRITE)), False, False, True, version=12020),
    Row("mapped host, both", mapped(HOST_NUMA, (DEVICE, READ_WRITE), (HOST_NUMA, READ_WRITE)), True, True, True, version=12020),
]

ATTRIBUTES = {"type": 2, "managed": 8, "ordinal": 9, "device_pointer": 3, "host_pointer": 4, "access": 16, "pool": 17}


def told(address: int) -> dict[str, int]:
    """What the driver answers in one batch."""
    count = len(ATTRIBUTES)
    numbers = (C.c_int * count)(*ATTRIBUTES.values())
    slots = (C.c_uint64 * count)()
    start = C.addressof(slots)
    places = (C.c_void_p * count)(*[start + 8 * index for index in range(count)])
    call("cuPointerGetAttributes", C.c_uint(count), numbers, places, address)
    found = dict(zip(ATTRIBUTES, slots, strict=True))
    found["ordinal"] = C.c_int(found["ordinal"] & 0xFFFFFFFF).value
    return found


def touch(address: int, proof: str) -> int:
    """Touches the first byte; returns what was read there, or written."""
    if proof == "host_read":
        return C.c_ubyte.from_address(address).value
    # Another byte of the device's own, for the other end.
    other = answer("cuMemAlloc_v2", 1)
    call("cuMemsetD8_v2", other, C.c_ubyte(VALUE), 1)
    source, target = (other, address) if proof == "device_write" else (address, other)
    driver.launch("move_byte", 0, source, target)
    driver.synchronize()
    return driver.read(other, 1)[0]


def main() -> None:
    driver.use_primary()
    address = ROWS[int(sys.argv[1])].make()
    for proof in sys.argv[2:]:
        print(proof, touch(address, proof), flush=True)


if __name__ == "__main__":
    main()
