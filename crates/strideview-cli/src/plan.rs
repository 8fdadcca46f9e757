//! `strideview plan`.
#![forbid(unsafe_code)]

use strideview::StridedLayout;
use strideview_copy::plan_for;

use crate::arguments::PlanArguments;
use crate::copy::{Blocks, Transfer};
use crate::error::Error;
use crate::npy::NpyFile;
use crate::select::select;

/// What a copy would do, as a text.
pub(crate) fn run(arguments: &PlanArguments) -> Result<String, Error> {
    let layout = source(arguments)?;
    let (src, dst) = select(&layout, &arguments.selection)?;
    let plan = plan_for(&dst, &src)?;
    let mut text = format!("source: {src}\ndestination: {dst}\n{plan}\n");
    if let Some(transfer) = Transfer::new(&plan, dst.itemsize()) {
        let blocks = Blocks::new(transfer, arguments.memory.memory)?;
        text += &format!("{blocks}\n");
    }
    Ok(text)
}

fn source(arguments: &PlanArguments) -> Result<StridedLayout, Error> {
    if let Some(file) = &arguments.file {
        return Ok(NpyFile::open(file)?.layout);
    }
    let shape = arguments.shape.as_ref().map_or(&[][..], |shape| &shape.0);
    let strides = arguments.strides.as_ref().map(|strides| &strides.0[..]);
    // The first element lies where the smallest offset is 0, so that reversed axes can be given.
    let fault = |source| Error::Layout { doing: "--shape, --strides", source };
    let layout = StridedLayout::new(shape, strides, arguments.itemsize).map_err(fault)?;
    let offset = layout.min_offset().checked_neg().unwrap_or(0);
    StridedLayout::with_offset(shape, strides, arguments.itemsize, offset).map_err(fault)
}
