//! Blocks on their way: one is copied into a buffer while the one before it is written.
#![forbid(unsafe_code)]

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use indicatif::ProgressBar;
use strideview::{Buffer, DType, Device, StridedLayout, StridedMemoryView};

use super::blocks::{BUFFERS, Block, Blocks};
use super::interrupt::Interrupt;
use super::output::Output;
use super::window;
use crate::error::Error;
use crate::npy::NpyFile;

/// Bytes after which a signal is looked for.
const PIECE: usize = 8 << 20;

/// A block whose bytes are in a buffer.
struct Filled {
    block: Block,
    buffer: Buffer,
}

/// Copies all blocks.
pub(super) fn run(
    input: &NpyFile,
    output: &mut Output,
    blocks: &Blocks,
    interrupt: &Interrupt,
    progress: &ProgressBar,
) -> Result<(), Error> {
    let bytes = usize::try_from(blocks.block_bytes()).unwrap_or(usize::MAX);
    let (give_back, empty) = sync_channel(2);
    for _ in 0..BUFFERS {
        let buffer = Device::cpu().allocate(bytes)?;
        // There is room for both.
        let _ = give_back.send(buffer);
    }
    let (fill, filled) = sync_channel(1);
    thread::scope(|scope| {
        let writer = scope.spawn(move || write(&filled, &give_back, output, interrupt, progress));
        let copied = copy(input, blocks, &empty, &fill, interrupt);
        drop(fill);
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.and(copied)
    })
}

/// Fills buffers until all blocks are through, or the other side has stopped.
fn copy(
    input: &NpyFile,
    blocks: &Blocks,
    empty: &Receiver<Buffer>,
    fill: &SyncSender<Filled>,
    interrupt: &Interrupt,
) -> Result<(), Error> {
    let is_dense = blocks.is_dense_in_source();
    let open = |block: Block| window(input, &block, is_dense).map(|window| (block, window));
    let mut coming = blocks.iter();
    let mut next = coming.next().map(open).transpose()?;
    while let Some((block, window)) = next {
        // Mapped a block ahead, so that the disk reads it meanwhile; it becomes resident when it
        // is copied.
        next = coming.next().map(open).transpose()?;
        let Ok(buffer) = empty.recv() else { return Ok(()) };
        interrupt.check()?;
        copy_block(&block, &window, &buffer)?;
        drop(window);
        if fill.send(Filled { block, buffer }).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// The bytes of the source from the first that a block reads to the last.
fn window(input: &NpyFile, block: &Block, is_dense: bool) -> Result<Buffer, Error> {
    let fault = |source| Error::File { path: input.path.clone(), doing: "map", source };
    let (first, length) = block.source_range();
    let too_large = |_| fault(io::Error::from(io::ErrorKind::FileTooLarge));
    let length = usize::try_from(length).map_err(too_large)?;
    let offset = input.data_offset + first.unsigned_abs();
    window::map(&input.file, offset, length, is_dense).map_err(fault)
}

/// Copies a block from its window into a buffer, in the order of the destination.
fn copy_block(block: &Block, window: &Buffer, buffer: &Buffer) -> Result<(), Error> {
    let shape: Vec<i64> = block.axes.iter().map(|axis| axis.extent).collect();
    let strides: Vec<i64> = block.axes.iter().map(|axis| axis.src / block.itemsize).collect();
    let start = (block.src_offset - block.source_range().0) / block.itemsize;
    let layout = |strides, start| {
        StridedLayout::with_offset(&shape, strides, block.itemsize, start)
            .map_err(strideview::Error::from)
    };
    let src = layout(Some(&strides), start)?;
    let src = StridedMemoryView::from_buffer(window, &src, None, true)?;
    let dst = StridedMemoryView::from_buffer(buffer, &layout(None, 0)?, None, false)?;
    Ok(strideview::copy(&dst, &src)?)
}

/// Writes buffers as they come.
fn write(
    filled: &Receiver<Filled>,
    give_back: &SyncSender<Buffer>,
    output: &mut Output,
    interrupt: &Interrupt,
    progress: &ProgressBar,
) -> Result<(), Error> {
    for Filled { block, buffer } in filled {
        write_block(&block, &buffer, output, interrupt, progress)?;
        // Nobody wants it after the last block.
        let _ = give_back.send(buffer);
    }
    Ok(())
}

fn write_block(
    block: &Block,
    buffer: &Buffer,
    output: &mut Output,
    interrupt: &Interrupt,
    progress: &ProgressBar,
) -> Result<(), Error> {
    let (length, starts) = block.runs();
    let whole = i64::try_from(buffer.len_bytes()).unwrap_or(i64::MAX);
    let layout = StridedLayout::new(&[whole], None, 1).map_err(strideview::Error::from)?;
    let view = StridedMemoryView::from_buffer(buffer, &layout, Some(DType::U8), true)?;
    let bytes = view.as_slice::<u8>()?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut unreported = 0;
    for (run, start) in bytes.chunks_exact(length).zip(starts) {
        let mut at = start.unsigned_abs();
        for piece in run.chunks(PIECE) {
            output.write_at(at, piece)?;
            at += piece.len() as u64;
            unreported += piece.len();
            if unreported >= PIECE {
                interrupt.check()?;
                progress.inc(unreported as u64);
                unreported = 0;
            }
        }
    }
    progress.inc(unreported as u64);
    interrupt.check()
}
