//! Memory handed out: host memory, whatever it is called.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;

/// What an allocation counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `cuMemAlloc`.
    Device,
    /// `cuMemAllocAsync`.
    Pool,
    /// `cuMemHostAlloc`.
    Pinned,
    /// `cuMemAllocManaged`.
    Managed,
}

#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) size_in_bytes: usize,
    pub(crate) kind: Kind,
    pub(crate) device: i32,
    layout: Layout,
}

/// The live allocations by address.
#[derive(Default)]
pub(crate) struct Blocks(BTreeMap<usize, Block>);

impl Blocks {
    /// `size_in_bytes` bytes of 0xab, so that nobody relies on zeros.
    pub(crate) fn allocate(
        &mut self,
        size_in_bytes: usize,
        kind: Kind,
        device: i32,
    ) -> Result<usize, i32> {
        if size_in_bytes == 0 {
            return Err(1);
        }
        // More than this counts as more than the device has.
        if size_in_bytes > 1 << 32 {
            return Err(2);
        }
        let layout = Layout::from_size_align(size_in_bytes, 256).map_err(|_| 2)?;
        // SAFETY: the size is not 0.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() {
            return Err(2);
        }
        // SAFETY: allocated above with this size.
        unsafe { address.write_bytes(0xab, size_in_bytes) };
        let address = address.expose_provenance();
        self.0.insert(address, Block { size_in_bytes, kind, device, layout });
        Ok(address)
    }

    /// Frees an allocation of one of these kinds.
    pub(crate) fn free(&mut self, address: usize, kinds: &[Kind]) -> Result<(), i32> {
        match self.0.get(&address) {
            Some(block) if kinds.contains(&block.kind) => {}
            _ => return Err(1),
        }
        if let Some(block) = self.0.remove(&address) {
            give_back(address, block);
        }
        Ok(())
    }

    /// Frees every allocation.
    pub(crate) fn clear(&mut self) {
        for (address, block) in std::mem::take(&mut self.0) {
            give_back(address, block);
        }
    }

    /// The allocation around an address, with its start.
    pub(crate) fn around(&self, address: usize) -> Option<(usize, Block)> {
        let (start, block) = self.0.range(..=address).next_back()?;
        (address < start + block.size_in_bytes).then_some((*start, *block))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Frees a block that was just taken out of the map, which is how there is one of it.
fn give_back(address: usize, block: Block) {
    // SAFETY: allocated by `Blocks::allocate` with this layout, and taken out of its map.
    unsafe { dealloc(std::ptr::with_exposed_provenance_mut(address), block.layout) };
}
