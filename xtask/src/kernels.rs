//! The compiled kernels of strideview-cuda, from their sources.

use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::process;
use crate::python::Venv;

/// Where sources and the script that compiles them are.
const KERNELS: &str = "crates/strideview-cuda/kernels";

/// The compilers, each in a folder of its own since two versions of a package exclude each other.
const COMPILERS: [(&str, &str); 2] = [
    (".venv/nvrtc-12.0", "nvidia-cuda-nvrtc-cu12==12.0.140"),
    (".venv/nvrtc-12.9", "nvidia-cuda-nvrtc-cu12==12.9.86"),
];

/// Compiles all kernels for all targets and writes the images that are checked in; with `--check`,
/// compares instead. A few minutes, and 110 MB of downloads the first time.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument != "--check") {
        return Err(format!("wanted nothing or --check, got {arguments:?}"));
    }
    let venv = Venv::ready()?;
    for (folder, package) in COMPILERS {
        if !Path::new(folder).exists() {
            venv.install(&["--no-deps", "--target", folder, package])?;
        }
    }
    let script = format!("{KERNELS}/compile.py");
    let images = format!("{KERNELS}/images");
    let mut command: Command = venv.command(&[&script, COMPILERS[0].0, COMPILERS[1].0, &images]);
    command.args(arguments);
    process::run(command)
}
