//! `strideview copy`: block by block, with a bound on memory.
//!
//! [`Blocks`] cuts the array into boxes of indices that are long runs in both files. For each, a
//! [`window`] maps what is read of the source, the copy engine puts it into a buffer in the order
//! of the output, on all processors, and a thread writes the buffer while the next one is filled.
//! The output is written and not mapped: so a full disk is an error and not a signal, and the
//! memory that is resident is known.

mod blocks;
mod interrupt;
mod output;
mod pipeline;
mod resident;
mod window;

use indicatif::{ProgressBar, ProgressStyle};
use strideview_copy::plan_for;

pub(crate) use blocks::{Blocks, Transfer};

use crate::arguments::{CopyArguments, Order};
use crate::error::Error;
use crate::npy::{Header, NpyFile};
use crate::select::select;
use interrupt::Interrupt;
use output::Output;

/// Does the copy; says nothing where nothing fails.
pub(crate) fn run(arguments: &CopyArguments) -> Result<(), Error> {
    // Before there is a file that a signal would leave behind.
    let interrupt = Interrupt::catch(&arguments.output)?;
    let input = NpyFile::open(&arguments.input)?;
    let (src, dst) = select(&input.layout, &arguments.selection)?;
    let plan = plan_for(&dst, &src)?;
    let blocks = match Transfer::new(&plan, dst.itemsize()) {
        Some(transfer) => Some(Blocks::new(transfer, arguments.memory.memory)?),
        None => None,
    };
    let header = Header {
        fortran_order: arguments.selection.order == Order::F && dst.rank() > 1,
        shape: dst.shape().to_vec(),
        ..input.header.clone()
    };
    let mut output = Output::create(&arguments.output, &header.to_bytes(), dst.nbytes())?;
    if let Some(blocks) = blocks {
        let progress = progress(dst.nbytes().unsigned_abs(), arguments.quiet);
        let outcome = pipeline::run(&input, &mut output, &blocks, &interrupt, &progress);
        // Also where it failed: what is said of that stands on a line of its own.
        progress.finish_and_clear();
        outcome?;
    }
    interrupt.check()?;
    output.finish(arguments.sync)
}

/// A bar with rate and time left; it is drawn on a terminal only.
fn progress(bytes: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let template =
        "{wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {eta} left";
    // The template is right, or the tests would say so.
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(bytes).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_can_be_drawn() {
        assert!(ProgressStyle::with_template("{wide_bar} {eta} left").is_ok());
        assert_eq!(progress(7, false).length(), Some(7));
    }
}
