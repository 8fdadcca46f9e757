//! The wheel of the Python package: built from the working tree, installed for tests and demo.

use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::process;
use crate::python::Venv;
use crate::workspace::Workspace;

/// The most that a wheel may take.
const MOST_BYTES: u64 = 8 << 20;

/// What builds and checks a wheel for older systems; half a gigabyte, so not in `.venv` itself.
const MANYLINUX_TOOLS: [&str; 3] =
    ["ziglang>=0.15,<0.17", "auditwheel>=6.8,<7", "abi3audit==0.0.26"];
const MANYLINUX_FOLDER: &str = ".venv/manylinux";

/// glibc 2.17, which every distribution since 2014 has.
const MANYLINUX: &str = "manylinux2014";

/// Builds the release wheel and prints its path and size; with `--manylinux`, one that runs on older
/// systems than this one.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let venv = Venv::ready()?;
    let wheel = match arguments {
        [] => build(&venv)?,
        [option] if option == "--manylinux" => build_manylinux(&venv)?,
        _ => return Err(format!("wanted nothing or --manylinux, got {arguments:?}")),
    };
    println!("{}", wheel.display());
    Ok(())
}

/// Builds the release wheel and installs it into the environment.
pub(crate) fn install(venv: &Venv) -> Outcome {
    let wheel = build(venv)?;
    // The version stays the same from build to build, so pip would keep what it has.
    let wheel = wheel.to_str().ok_or("the path of the wheel is not UTF-8")?;
    venv.install(&["--quiet", "--force-reinstall", "--no-deps", wheel])
}

/// Builds the release wheel; returns its path.
pub(crate) fn build(venv: &Venv) -> Outcome<PathBuf> {
    let folder = Workspace::load()?.target.join("wheels");
    build_in(&folder, venv, Command::new(venv.program("maturin")), &[])
}

/// Builds the wheel with zig, whose linker knows the symbols of old systems, and lets two programs of
/// others say that it keeps to them and to the stable ABI of Python.
fn build_manylinux(venv: &Venv) -> Outcome<PathBuf> {
    if !Path::new(MANYLINUX_FOLDER).exists() {
        let mut arguments = vec!["--target", MANYLINUX_FOLDER];
        arguments.extend(MANYLINUX_TOOLS);
        venv.install(&arguments)?;
    }
    let tools = path::absolute(MANYLINUX_FOLDER).map_err(|error| error.to_string())?;
    let folder = Workspace::load()?.target.join("wheels-manylinux");
    let mut command = Command::new(venv.program("maturin"));
    command.env("PYTHONPATH", &tools);
    // Where this was built is nobody's business.
    command.env("CARGO_ENCODED_RUSTFLAGS", remapped()?);
    let wheel = build_in(&folder, venv, command, &["--zig", "--compatibility", MANYLINUX])?;
    for check in [&["auditwheel", "show"][..], &["abi3audit", "--strict", "--report"]] {
        let mut command = venv.command(&["-m"]);
        command.env("PYTHONPATH", &tools).args(check).arg(&wheel);
        process::run(command)?;
    }
    Ok(wheel)
}

/// Names for the folders whose paths the compiler would write into the library.
fn remapped() -> Outcome<String> {
    let home =
        std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|h| h + "/.cargo"));
    let home = home.map_err(|error| format!("HOME: {error}"))?;
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let flags = [
        format!("--remap-path-prefix={home}=cargo"),
        format!("--remap-path-prefix={}=.", here.display()),
    ];
    Ok(flags.join("\x1f"))
}

/// Runs maturin, which is given with its environment; returns the only wheel in the folder afterwards.
fn build_in(
    folder: &Path,
    venv: &Venv,
    mut maturin: Command,
    options: &[&str],
) -> Outcome<PathBuf> {
    for old in wheels(folder)? {
        fs::remove_file(&old).map_err(|error| format!("{}: {error}", old.display()))?;
    }
    maturin.args(["build", "--release", "--out"]).arg(folder).args(options);
    maturin.arg("--interpreter").arg(venv.python());
    process::run(maturin)?;
    let mut built = wheels(folder)?;
    match built.len() {
        1 => Ok(weighed(built.remove(0))?),
        count => Err(format!("wanted one wheel in {}, got {count}", folder.display())),
    }
}

/// Prints the size of a wheel; fails where it is too large.
fn weighed(wheel: PathBuf) -> Outcome<PathBuf> {
    let size = fs::metadata(&wheel).map_err(|error| format!("{}: {error}", wheel.display()))?.len();
    println!("{} KiB  {}", size >> 10, wheel.display());
    if size > MOST_BYTES {
        return Err(format!("wanted a wheel of at most {MOST_BYTES} bytes, got {size}"));
    }
    Ok(wheel)
}

/// The wheels in a folder, which need not exist.
fn wheels(folder: &Path) -> Outcome<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let fault = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            found.push(path);
        }
    }
    Ok(found)
}
