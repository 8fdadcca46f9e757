//! The demonstration: the package installed as a user would have it, and one program that uses it.

use std::path::Path;

use crate::Outcome;
use crate::process;
use crate::python::Venv;
use crate::wheel;

const PROGRAM: &str = "python/examples/demo.py";

/// Builds, installs and runs the demonstration with the given arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let venv = Venv::ready()?;
    wheel::install(&venv)?;
    run_in(&venv, arguments)
}

/// Runs the demonstration where the package is installed already.
pub(crate) fn run_in(venv: &Venv, arguments: &[String]) -> Outcome {
    if !Path::new(PROGRAM).exists() {
        return Err(format!("{PROGRAM} does not exist"));
    }
    let mut command = venv.command(&[PROGRAM]);
    command.args(arguments);
    process::run(command)
}
