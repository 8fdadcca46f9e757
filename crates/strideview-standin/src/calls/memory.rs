//! Memory and pools.

use crate::blocks::Kind;
use crate::out::Out;
use crate::state::{Answers, DEVICES, Range, State, default_pool, device_attribute};

/// The form of an address that the caller wants: all are words.
fn allocate(
    state: &mut State,
    address: Out<usize>,
    size_in_bytes: usize,
    kind: Kind,
) -> Result<(), i32> {
    let (_, device) = state.here()?;
    address.put(state.blocks.allocate(size_in_bytes, kind, device)?)
}

/// The device of a default pool.
fn owner(pool: usize) -> Option<i32> {
    (0..DEVICES).find(|device| default_pool(*device) == pool)
}

calls! { state;
    fn cuMemAlloc(address: Out<usize>, size_in_bytes: usize) {
        allocate(state, address, size_in_bytes, Kind::Device)
    }
    fn cuMemFree(address: usize) {
        state.here()?;
        state.blocks.free(address, &[Kind::Device, Kind::Managed, Kind::Pool])
    }
    fn cuMemAllocHost(address: Out<usize>, size_in_bytes: usize) {
        allocate(state, address, size_in_bytes, Kind::Pinned)
    }
    fn cuMemHostAlloc(address: Out<usize>, size_in_bytes: usize, flags: u32) {
        if flags > 7 {
            return Err(1);
        }
        allocate(state, address, size_in_bytes, Kind::Pinned)
    }
    fn cuMemFreeHost(address: usize) {
        state.here()?;
        state.blocks.free(address, &[Kind::Pinned])
    }
    fn cuMemAllocManaged(address: Out<usize>, size_in_bytes: usize, flags: u32) {
        if device_attribute(state.here()?.1, 83)? == 0 {
            return Err(801);
        }
        if flags != 1 && flags != 2 {
            return Err(1);
        }
        allocate(state, address, size_in_bytes, Kind::Managed)
    }
    fn cuMemAllocAsync(address: Out<usize>, size_in_bytes: usize, stream: usize) {
        if device_attribute(state.here()?.1, 115)? == 0 {
            return Err(801);
        }
        state.context_of(stream)?;
        allocate(state, address, size_in_bytes, Kind::Pool)
    }
    fn cuMemAllocFromPoolAsync(
        address: Out<usize>,
        size_in_bytes: usize,
        pool: usize,
        stream: usize,
    ) {
        owner(pool).ok_or(1)?;
        state.context_of(stream)?;
        allocate(state, address, size_in_bytes, Kind::Pool)
    }
    fn cuMemFreeAsync(address: usize, stream: usize) {
        state.context_of(stream)?;
        state.blocks.free(address, &[Kind::Pool])
    }
    fn cuMemHostRegister(address: usize, size_in_bytes: usize, flags: u32) {
        let (context, device) = state.here()?;
        if address == 0 || size_in_bytes == 0 || flags & !0xf != 0 {
            return Err(1);
        }
        let answers = Answers {
            memory_type: 1,
            ordinal: device,
            host: 1,
            device: 1,
            // As under WSL, where the device sees registered memory elsewhere.
            alias: if device == 1 { 0x1_0000_0000 } else { 0 },
            access: if flags & 8 == 8 { 1 } else { 3 },
            context,
            ..Answers::default()
        };
        state.ranges.push(Range { start: address, size_in_bytes, answers, registered: true });
        Ok(())
    }
    fn cuMemHostUnregister(address: usize) {
        let before = state.ranges.len();
        state.ranges.retain(|range| !range.registered || range.start != address);
        if state.ranges.len() == before { Err(713) } else { Ok(()) }
    }
    fn cuMemPoolGetAttribute(pool: usize, attribute: i32, value: Out<u64>) {
        if attribute != 4 {
            return Err(1);
        }
        owner(pool).ok_or(1)?;
        value.put(state.thresholds.get(&pool).copied().unwrap_or(0))
    }
    fn cuMemPoolSetAttribute(pool: usize, attribute: i32, value: *const u64) {
        if attribute != 4 || value.is_null() {
            return Err(1);
        }
        owner(pool).ok_or(1)?;
        // SAFETY: not null, and the caller promises the type that the attribute has.
        let threshold = unsafe { value.read() };
        state.thresholds.insert(pool, threshold);
        Ok(())
    }
    fn cuMemPoolGetAccess(flags: Out<i32>, pool: usize, location: *const [i32; 2]) {
        if location.is_null() {
            return Err(1);
        }
        // SAFETY: not null, and the caller promises a `CUmemLocation`.
        let [kind, device] = unsafe { location.read() };
        if kind != 1 {
            return Err(1);
        }
        let scripted = state.pool_access.get(&(pool, device)).copied();
        flags.put(scripted.unwrap_or(if owner(pool) == Some(device) { 3 } else { 0 }))
    }
    fn cuMemsetD8Async(address: *mut u8, value: u8, count: usize, stream: usize) {
        state.context_of(stream)?;
        // SAFETY: the caller promises this many bytes of live memory, which is the host's.
        unsafe { address.write_bytes(value, count) };
        Ok(())
    }
    fn cuMemsetD16Async(address: *mut u16, value: u16, count: usize, stream: usize) {
        state.context_of(stream)?;
        // SAFETY: as above, aligned as the driver asks.
        unsafe { std::slice::from_raw_parts_mut(address, count) }.fill(value);
        Ok(())
    }
    fn cuMemsetD32Async(address: *mut u32, value: u32, count: usize, stream: usize) {
        state.context_of(stream)?;
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(address, count) }.fill(value);
        Ok(())
    }
}
