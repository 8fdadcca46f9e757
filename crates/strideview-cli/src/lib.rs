//! The command line of strideview: what the program `strideview` and `python -m strideview` do.
//!
//! ```console
//! $ strideview inspect FILE.npy
//! $ strideview plan FILE.npy --permute 2,0,1
//! $ strideview copy IN.npy OUT.npy --permute 2,0,1 --slice ':, ::2' --memory 1GiB
//! ```
//!
//! A file is never read whole: `copy` cuts the array into blocks that suit both files,
//! maps what a block reads, and writes it beside the output, which gets its name when all is done.
//!
//! Unsafe code lives in `copy::window`; every other file forbids it.

mod arguments;
mod copy;
mod error;
mod inspect;
mod npy;
mod parse;
mod plan;
mod select;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::Parser;

use arguments::{Arguments, Command};
use error::Error;

/// Runs the command that the arguments (without the name of the program) ask for; returns the exit
/// status: 0, 1 when it failed, 2 for arguments that make no sense, 128 and its number when a
/// signal ended it. Says what it has to say on standard output and standard error.
///
/// `copy` takes over `SIGINT`, `SIGTERM` and `SIGHUP` of the process.
///
/// ```
/// let arguments = ["plan", "--shape", "2,3", "--permute", "1,0"];
/// assert_eq!(strideview_cli::run(arguments.map(Into::into)), 0);
/// assert_eq!(strideview_cli::run(["plant"].map(Into::into)), 2);
/// ```
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let name = OsString::from("strideview");
    let arguments = match Arguments::try_parse_from(std::iter::once(name).chain(arguments)) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Where nobody listens there is nothing to be done.
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let outcome = match arguments.command {
        Command::Inspect(arguments) => inspect::run(&arguments).and_then(|text| print(&text)),
        Command::Plan(arguments) => plan::run(&arguments).and_then(|text| print(&text)),
        Command::Copy(arguments) => copy::run(&arguments),
    };
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            let _ = writeln!(io::stderr(), "strideview: {error}");
            error.status()
        }
    }
}

/// Writes a text to standard output. A reader that has seen enough is no failure.
fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Print(error)),
        _ => Ok(()),
    }
}
