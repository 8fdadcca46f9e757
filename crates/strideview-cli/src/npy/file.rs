//! An `.npy` file that was opened and found whole.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use strideview::{StrideOrder, StridedLayout};

use super::header::{Header, HeaderError};
use crate::error::Error;

/// An open file with its header and layout; all its data is there.
pub(crate) struct NpyFile {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    pub(crate) header: Header,
    /// Bytes before the data.
    pub(crate) data_offset: u64,
    /// Where in the data each element lies.
    pub(crate) layout: StridedLayout,
}

impl NpyFile {
    /// Opens a file, and checks that it is as long as its header says.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let fault = |doing| {
            let path = path.to_owned();
            move |source| Error::File { path, doing, source }
        };
        let file = File::open(path).map_err(fault("open"))?;
        let metadata = file.metadata().map_err(fault("open"))?;
        if !metadata.is_file() {
            return Err(Error::NotAFile { path: path.to_owned() });
        }
        let of_header = |source| Error::Header { path: path.to_owned(), source };
        let (header, data_offset) = Header::read(BufReader::new(&file)).map_err(of_header)?;
        let order = if header.fortran_order { StrideOrder::F } else { StrideOrder::C };
        let layout = StridedLayout::dense(&header.shape, header.itemsize, order)
            .map_err(|error| of_header(HeaderError::Layout(error)))?;
        let wanted = data_offset.saturating_add(layout.nbytes().unsigned_abs());
        if metadata.len() < wanted {
            let got = metadata.len();
            return Err(Error::Truncated { path: path.to_owned(), wanted, got });
        }
        Ok(Self { path: path.to_owned(), file, header, data_offset, layout })
    }
}
