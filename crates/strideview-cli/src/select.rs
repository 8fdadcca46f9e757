//! Which elements of a layout are copied, and where they go.
#![forbid(unsafe_code)]

use strideview::StridedLayout;

use crate::arguments::Selection;
use crate::error::Error;

/// The elements of `layout` that a selection asks for, and the dense layout that they go to.
pub(crate) fn select(
    layout: &StridedLayout,
    selection: &Selection,
) -> Result<(StridedLayout, StridedLayout), Error> {
    let slicing = |source| Error::Layout { doing: "--slice", source };
    let mut src = layout.sliced(selection.slices()).map_err(slicing)?;
    if let Some(axes) = &selection.permute {
        let permuting = |source| Error::Layout { doing: "--permute", source };
        src = src.permuted(&axes.0).map_err(permuting)?;
    }
    let dense = StridedLayout::dense(src.shape(), src.itemsize(), selection.order.stride_order());
    let dst = dense.map_err(|source| Error::Layout { doing: "result", source })?;
    Ok((src, dst))
}
