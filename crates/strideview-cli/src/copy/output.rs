//! The file that is written: beside the output under another name, and renamed when all is there.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::Error;

/// Bytes of a name that are kept in the other name; file systems take 255.
const LONGEST: usize = 200;

/// An output that is not finished. Dropped, nothing of it is left.
pub(super) struct Output {
    file: NamedTempFile,
    /// Where it goes.
    path: PathBuf,
    data_offset: u64,
}

impl Output {
    /// Starts an output with this header, and room for so many bytes of data.
    pub(super) fn create(path: &Path, header: &[u8], data_bytes: i64) -> Result<Self, Error> {
        let path = target(path)?;
        let file = beside(&path).map_err(fault(&path, "create"))?;
        let data_offset = header.len() as u64;
        let mut output = Self { file, path, data_offset };
        let bytes = data_offset.saturating_add(data_bytes.unsigned_abs());
        reserve(output.file.as_file(), bytes).map_err(fault(&output.path, "reserve space"))?;
        output.file.write_all(header).map_err(fault(&output.path, "write"))?;
        Ok(output)
    }

    /// Writes at a byte of the data.
    pub(super) fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let at = SeekFrom::Start(self.data_offset.saturating_add(offset));
        let file = self.file.as_file_mut();
        let written = file.seek(at).and_then(|_| file.write_all(bytes));
        written.map_err(fault(&self.path, "write"))
    }

    /// Gives the file its name. With `sync`, the disk has it first.
    pub(super) fn finish(self, sync: bool) -> Result<(), Error> {
        let Self { file, path, .. } = self;
        if sync {
            file.as_file().sync_all().map_err(fault(&path, "sync"))?;
        }
        file.persist(&path).map_err(|error| fault(&path, "rename")(error.error))?;
        Ok(())
    }
}

fn fault(path: &Path, doing: &'static str) -> impl Fn(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |source| Error::File { path: path.clone(), doing, source }
}

/// What the name stands for: the end of symbolic links, and no folder nor device.
fn target(path: &Path) -> Result<PathBuf, Error> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(Error::NotAFile { path: path.to_owned() }),
        Ok(_) => fs::canonicalize(path).map_err(fault(path, "open")),
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.file_name().is_some() => {
            Ok(path.to_owned())
        }
        Err(error) => Err(fault(path, "open")(error)),
    }
}

/// A new file in the same folder: `.OUT.npy.XXXXXX.part`.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut prefix = OsString::from(".");
    // A longer name would leave no room for what is added.
    prefix.push(path.file_name().filter(|name| name.len() <= LONGEST).unwrap_or_default());
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Those of any new file, or of the one that is replaced.
        let kept = fs::metadata(path).map(|metadata| metadata.permissions());
        builder.permissions(kept.unwrap_or_else(|_| fs::Permissions::from_mode(0o666)));
    }
    builder.tempfile_in(folder)
}

/// Makes the file that long, with space on the disk for all of it where the file system can say:
/// so a full disk is known before anything is copied.
fn reserve(file: &fs::File, bytes: u64) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Ok(()) => return Ok(()),
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    file.set_len(bytes)
}
