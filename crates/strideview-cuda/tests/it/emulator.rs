//! The kernels, compiled for the host: see `emulator` of strideview-standin.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::SystemTime;

use crate::Standin;

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels");
const EMULATOR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../strideview-standin/emulator");

/// Lets the stand-in do launches; false, with a printed reason, without a C++ compiler.
/// `STRIDEVIEW_REQUIRE=emulator` makes that a failure.
pub(crate) fn start(standin: &Standin) -> bool {
    let library = built();
    if library.as_ref().is_some_and(|library| standin.emulate(library)) {
        return true;
    }
    let required = std::env::var("STRIDEVIEW_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|item| item == "emulator"), "the emulator is required");
    let _ = writeln!(io::stderr(), "skipped: no C++ compiler for the emulator of kernels");
    false
}

/// The library, built again when a source is newer.
fn built() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emulator");
    let library = folder.join("libemulator.so");
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    let newest = sources().iter().filter_map(|path| time(path)).max()?;
    if time(&library).is_some_and(|built: SystemTime| built > newest) {
        return Some(library);
    }
    fs::create_dir_all(&folder).ok()?;
    let tiles = [1, 2, 4, 8, 16].map(|item| ("tile", Some(item)));
    let others = ["strip", "direct", "interleave", "any"].map(|family| (family, None));
    let mut objects = vec![folder.join("emulator.o")];
    let mut running = vec![compile(&Path::new(EMULATOR).join("emulator.cpp"), &objects[0], None)?];
    for (family, item) in tiles.into_iter().chain(others) {
        let object = folder.join(format!("{family}_{}.o", item.unwrap_or(0)));
        running.push(compile(&Path::new(KERNELS).join(format!("{family}.cu")), &object, item)?);
        objects.push(object);
    }
    let outcomes: Vec<bool> = running
        .into_iter()
        .map(|mut child| child.wait().is_ok_and(|status| status.success()))
        .collect();
    let is_linked = outcomes.into_iter().all(|is_compiled| is_compiled)
        && Command::new(compiler())
            .args(["-shared", "-ldl", "-o"])
            .arg(&library)
            .args(&objects)
            .status()
            .is_ok_and(|status| status.success());
    is_linked.then_some(library)
}

fn sources() -> Vec<PathBuf> {
    let listed = [KERNELS, EMULATOR].map(|folder| fs::read_dir(folder).into_iter().flatten());
    listed.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn compiler() -> OsString {
    std::env::var_os("CXX").unwrap_or_else(|| "c++".into())
}

fn compile(source: &Path, object: &Path, item: Option<i32>) -> Option<Child> {
    let shim = Path::new(EMULATOR).join("shim.hpp");
    Command::new(compiler())
        .args(["-std=c++17", "-O1", "-fPIC", "-fno-strict-aliasing", "-w", "-x", "c++", "-include"])
        .arg(shim)
        .args(item.map(|item| format!("-DITEM_BYTES={item}")))
        .arg("-c")
        .arg(source)
        .arg("-o")
        .arg(object)
        .spawn()
        .ok()
}
