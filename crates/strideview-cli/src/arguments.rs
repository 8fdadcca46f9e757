//! The arguments.
#![forbid(unsafe_code)]

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use strideview::{Slice, StrideOrder};

use crate::parse;

/// Look at arrays in .npy files, see what a copy would do, and copy files larger than memory.
#[derive(Parser)]
#[command(name = "strideview", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print what is in a file: dtype, order, layout, contiguity, and a picture of its memory.
    Inspect(InspectArguments),
    /// Print what a copy would do: layouts, kernel, bytes and blocks.
    Plan(PlanArguments),
    /// Copy a file, sliced and permuted, in blocks of bounded memory.
    Copy(CopyArguments),
}

#[derive(Args)]
pub(crate) struct InspectArguments {
    /// An .npy file.
    pub(crate) file: PathBuf,
    /// Print the picture alone, as an SVG document.
    #[arg(long)]
    pub(crate) svg: bool,
}

#[derive(Args)]
pub(crate) struct PlanArguments {
    /// An .npy file; or else give a shape.
    #[arg(required_unless_present = "shape", conflicts_with_all = ["shape", "strides", "itemsize"])]
    pub(crate) file: Option<PathBuf>,
    /// Extents of the source, such as 480,640,3.
    #[arg(long, value_parser = parse::integers)]
    pub(crate) shape: Option<parse::Integers>,
    /// Strides of the source in elements; C order without them.
    #[arg(long, value_parser = parse::integers, allow_hyphen_values = true, requires = "shape")]
    pub(crate) strides: Option<parse::Integers>,
    /// Bytes of one element.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) itemsize: i64,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) memory: Memory,
}

#[derive(Args)]
pub(crate) struct CopyArguments {
    /// The .npy file to read.
    pub(crate) input: PathBuf,
    /// The .npy file to write. It appears, or is replaced, when all of it is there.
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// Wait until the disk has the output before it gets its name.
    #[arg(long)]
    pub(crate) sync: bool,
    /// Show no progress. It is shown on a terminal only.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Which elements, in which order.
#[derive(Args)]
pub(crate) struct Selection {
    /// What to take of the source, as in Python: ':, ::2, -1'. It comes before the permutation.
    #[arg(long, value_parser = parse::slices, allow_hyphen_values = true, value_name = "SLICES")]
    pub(crate) slice: Option<parse::Slices>,
    /// The axes of the source in the order of the result, such as 2,0,1.
    #[arg(long, value_parser = parse::integers, allow_hyphen_values = true, value_name = "AXES")]
    pub(crate) permute: Option<parse::Integers>,
    /// The order of the elements in the result: last axis fastest (C), or first (F).
    #[arg(long, value_enum, default_value_t = Order::C, ignore_case = true)]
    pub(crate) order: Order,
}

impl Selection {
    pub(crate) fn slices(&self) -> &[Slice] {
        self.slice.as_ref().map_or(&[], |slices| &slices.0)
    }
}

#[derive(Args)]
pub(crate) struct Memory {
    /// The most memory that the copy may have resident: bytes, or with KiB, MiB, GiB, kB, MB, GB.
    #[arg(long, value_parser = parse::size, default_value = "1GiB", value_name = "SIZE")]
    pub(crate) memory: u64,
}

/// An order that an .npy file can say.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// Last axis fastest.
    #[value(name = "C")]
    C,
    /// First axis fastest.
    #[value(name = "F")]
    F,
}

impl Order {
    pub(crate) fn stride_order(self) -> StrideOrder<'static> {
        match self {
            Self::C => StrideOrder::C,
            Self::F => StrideOrder::F,
        }
    }
}
