//! `strideview inspect`.
#![forbid(unsafe_code)]

use strideview::StridedLayout;

use crate::arguments::InspectArguments;
use crate::error::Error;
use crate::npy::NpyFile;

/// What is in the file, as a text.
pub(crate) fn run(arguments: &InspectArguments) -> Result<String, Error> {
    let file = NpyFile::open(&arguments.file)?;
    let layout = &file.layout;
    if arguments.svg {
        return Ok(layout.to_svg(&arguments.file.display().to_string()));
    }
    let header = &file.header;
    let order = if header.fortran_order { "F" } else { "C" };
    Ok(format!(
        "file: {}\nformat: npy {}, data from byte {}\ndtype: {}\norder: {order}\ncontiguous: {}\n\
         bytes: {}\n\n{}",
        arguments.file.display(),
        header.version,
        file.data_offset,
        String::from_utf8_lossy(&header.descr),
        contiguity(layout),
        layout.nbytes(),
        layout.diagram(),
    ))
}

fn contiguity(layout: &StridedLayout) -> &'static str {
    match (layout.is_contiguous_c(), layout.is_contiguous_f()) {
        (true, true) => "C and F",
        (true, false) => "C",
        (false, true) => "F",
        (false, false) => "no",
    }
}
