//! The program `strideview`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(strideview_cli::run(std::env::args_os().skip(1)))
}
