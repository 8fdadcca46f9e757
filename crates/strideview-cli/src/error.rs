//! What can go wrong, each with the facts.
#![forbid(unsafe_code)]

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::npy::HeaderError;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Error {
    /// A file could not be opened, read, written or renamed.
    File { path: PathBuf, doing: &'static str, source: io::Error },
    /// It is something else than a file, such as a folder.
    NotAFile { path: PathBuf },
    /// It does not start with a header that says what is in it.
    Header { path: PathBuf, source: HeaderError },
    /// Fewer bytes than the header says.
    Truncated { path: PathBuf, wanted: u64, got: u64 },
    /// A slice or a permutation that does not fit the array.
    Layout { doing: &'static str, source: strideview::LayoutError },
    /// A copy that cannot be planned or done.
    Copy(strideview::Error),
    /// The limit leaves too little to work with.
    Memory { limit: u64, least: u64 },
    /// A signal asked to stop.
    Interrupted { signal: u8, path: PathBuf },
    /// Standard output could not be written.
    Print(io::Error),
}

impl Error {
    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Interrupted { signal, .. } => signal.saturating_add(128),
            _ => 1,
        }
    }
}

impl From<strideview::Error> for Error {
    fn from(error: strideview::Error) -> Self {
        Self::Copy(error)
    }
}

impl From<strideview_copy::CopyError> for Error {
    fn from(error: strideview_copy::CopyError) -> Self {
        Self::Copy(error.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, doing, source } => {
                write!(f, "{}: {doing}: {source}", path.display())
            }
            Self::NotAFile { path } => write!(f, "{}: wanted a regular file", path.display()),
            Self::Header { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Truncated { path, wanted, got } => write!(
                f,
                "{}: truncated: the header wants {wanted} bytes, the file has {got}",
                path.display()
            ),
            Self::Layout { doing, source } => write!(f, "{doing}: {source}"),
            Self::Copy(source) => source.fmt(f),
            Self::Memory { limit, least } => write!(
                f,
                "--memory: {limit} bytes are too little for this copy, wanted at least {least}"
            ),
            Self::Interrupted { signal, path } => {
                write!(f, "interrupted by signal {signal}: {} was not written", path.display())
            }
            Self::Print(source) => write!(f, "standard output: {source}"),
        }
    }
}
