//! Signals that ask to stop: they are noted, and the copy ends at the next piece.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::error::Error;

/// The signals that are caught.
#[cfg(unix)]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Whether a signal came.
pub(super) struct Interrupt {
    /// Its number; 0 before one came.
    signal: Arc<AtomicUsize>,
    output: PathBuf,
    registered: Vec<signal_hook::SigId>,
}

impl Interrupt {
    /// Catches the signals until this is dropped.
    pub(super) fn catch(output: &Path) -> Result<Self, Error> {
        let signal = Arc::new(AtomicUsize::new(0));
        let mut interrupt = Self { signal, output: output.to_owned(), registered: Vec::new() };
        for number in SIGNALS {
            let value = usize::try_from(number).unwrap_or(0);
            let flag = Arc::clone(&interrupt.signal);
            let registered = signal_hook::flag::register_usize(number, flag, value);
            interrupt.registered.push(registered.map_err(|source| Error::File {
                path: output.to_owned(),
                doing: "catch signals",
                source,
            })?);
        }
        Ok(interrupt)
    }

    /// An error once a signal came.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.signal.load(Ordering::Relaxed) {
            0 => Ok(()),
            signal => Err(Error::Interrupted {
                signal: u8::try_from(signal).unwrap_or(u8::MAX),
                path: self.output.clone(),
            }),
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}
