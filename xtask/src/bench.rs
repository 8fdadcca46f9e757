//! The benchmarks: layouts, by a Rust program and a Python one, and host copies.

use std::path::{self, Path};

use crate::Outcome;
use crate::process;
use crate::python::Venv;
use crate::wheel;
use crate::workspace::Workspace;

const CRATE: &str = "strideview-bench";
const LAYOUT: &str = "bench/layout.py";
const COPIES: &str = "bench/copies.py";
const REQUIREMENTS: &str = "python/requirements-bench.txt";

/// What host copies are compared with, and torch, which is large.
const PEERS: &str = "python/requirements-bench-copy.txt";
const TORCH: &str = "python/requirements-bench-torch.txt";

/// The crate whose library has the timed loops of copies, a workspace of its own.
const ENGINES: &str = "bench/peers/Cargo.toml";

/// Runs one kind of benchmark, or all of them where none is named.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments.split_first() {
        None => layout().and_then(|()| copies(&[])),
        Some((kind, [])) if kind == "layout" => layout(),
        Some((kind, options)) if kind == "copy" => copies(options),
        Some(_) => Err(format!("wanted layout, or copy and its options, got {arguments:?}")),
    }
}

/// Layout operations, Rust first, then Python.
fn layout() -> Outcome {
    if Workspace::load()?.package(CRATE).is_some_and(|package| package.has_program) {
        process::run(process::cargo(&["run", "--release", "--package", CRATE]))?;
    } else {
        eprintln!("Rust benchmarks: not run, {CRATE} has no program");
    }
    let venv = Venv::ready()?;
    venv.require(REQUIREMENTS)?;
    wheel::install(&venv)?;
    process::run(venv.command(&[LAYOUT]))
}

/// Host copies; `--quick` builds nothing but our own engine, and installs nothing.
fn copies(options: &[String]) -> Outcome {
    let venv = Venv::ready()?;
    let is_quick = options.iter().any(|option| option == "--quick");
    let library = if is_quick { engines("copy-engines", &[], &venv)? } else { with_peers(&venv)? };
    let mut command = venv.command(&[COPIES, "--library", &library]);
    command.args(options);
    process::run(command)
}

/// Installs and builds the peers, but for those that this machine cannot have.
fn with_peers(venv: &Venv) -> Outcome<String> {
    venv.require(PEERS)?;
    if let Err(reason) = venv.require(TORCH) {
        eprintln!("torch: not compared with, {reason}");
    }
    wheel::install(venv)?;
    eprintln!("HPTT is compiled the first time, which takes several minutes");
    let folder = "copy-engines-peers";
    engines(folder, &["--features", "hptt"], venv).or_else(|reason| {
        eprintln!("HPTT: not compared with, {reason}");
        engines(folder, &["--features", "peers"], venv)
    })
}

/// Builds the library of timed loops; its path. Ours alone has a folder of its own, so that going
/// from one set of features to the other builds nothing again.
fn engines(folder: &str, features: &[&str], venv: &Venv) -> Outcome<String> {
    let target = Workspace::load()?.target.join(folder);
    let target = target.to_str().ok_or("the path of the target folder is not UTF-8")?;
    let mut command = process::cargo(&["build", "--quiet", "--release"]);
    command.args(["--manifest-path", ENGINES, "--target-dir", target]).args(features);
    if cfg!(target_arch = "x86_64") {
        // HPTT has its kernels for AVX behind this, and the crate leaves it undefined.
        command.env("CXXFLAGS", "-O3 -mavx -DHPTT_ARCH_AVX");
    }
    let cmake = path::absolute(venv.program("cmake")).map_err(|error| error.to_string())?;
    if cmake.exists() {
        command.env("CMAKE", cmake);
    }
    process::run(command)?;
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = Path::new(target).join("release").join(format!("{prefix}copy_engines{suffix}"));
    Ok(library.display().to_string())
}
