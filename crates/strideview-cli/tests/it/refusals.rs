//! What is refused: with what was wanted and what was got, and with nothing left behind.

use std::fs;

use crate::scene::{Array, Scene};

/// A folder with an array of 3 x 4.
fn scene() -> Scene {
    let scene = Scene::new();
    scene.array("in.npy", &Array::numbered("<i4", 4, false, &[3, 4]));
    scene
}

fn refused(scene: &Scene, arguments: &[&str], message: &str) {
    let before = scene.names();
    let said = scene.fail(1, arguments);
    assert!(said.starts_with("strideview: ") && said.contains(message), "{arguments:?}: {said}");
    assert_eq!(scene.names(), before, "{arguments:?}");
}

#[test]
fn arguments_that_do_not_fit() {
    let scene = scene();
    for (arguments, message) in [
        (&["--permute", "0,0"][..], "--permute: "),
        (&["--permute", "0"], "--permute: "),
        (&["--permute", "0,2"], "--permute: axis 2 is out of range"),
        (&["--slice", ":, :, :"], "--slice: "),
        (&["--slice", "3"], "--slice: index 3 is out of range"),
        (&["--slice", "::0"], "--slice: "),
        (&["--slice", "0", "--permute", "1,0"], "--permute: "),
        (&["--memory", "1MiB"], "--memory: 1048576 bytes are too little"),
    ] {
        refused(&scene, &[&["copy", "in.npy", "out.npy"], arguments].concat(), message);
        refused(&scene, &[&["plan", "in.npy"], arguments].concat(), message);
    }
}

#[test]
fn arguments_that_make_no_sense() {
    let scene = scene();
    for arguments in [
        &[][..],
        &["move"],
        &["copy"],
        &["copy", "in.npy"],
        &["copy", "in.npy", "out.npy", "more"],
        &["copy", "in.npy", "out.npy", "--permute", "a"],
        &["copy", "in.npy", "out.npy", "--slice", "1:2:3:4"],
        &["copy", "in.npy", "out.npy", "--order", "K"],
        &["copy", "in.npy", "out.npy", "--memory", "much"],
        &["plan"],
        &["plan", "in.npy", "--shape", "3"],
        &["plan", "--strides", "3"],
        &["plan", "--shape", "3", "--itemsize", "0"],
        &["inspect"],
    ] {
        let said = scene.fail(2, arguments);
        assert!(
            said.contains("Usage: strideview") || said.contains("try '--help'"),
            "{arguments:?}: {said}"
        );
    }
    assert_eq!(scene.names(), ["in.npy"]);
}

#[test]
fn shapes_that_are_no_layout() {
    let scene = scene();
    refused(&scene, &["plan", "--shape", "3,4", "--strides", "1"], "--shape, --strides: ");
    refused(&scene, &["plan", "--shape=-1"], "--shape, --strides: ");
    refused(&scene, &["plan", "--shape", "9223372036854775807,2"], "--shape, --strides: ");
    refused(
        &scene,
        &["plan", "--shape", "2", "--strides=-9223372036854775808"],
        "--shape, --strides: ",
    );
}

#[test]
fn files_that_are_not_there_or_no_files() {
    let scene = scene();
    fs::create_dir(scene.path("folder")).unwrap();
    refused(&scene, &["copy", "none.npy", "out.npy"], "none.npy: open: No such file");
    refused(&scene, &["copy", "folder", "out.npy"], "folder: wanted a regular file");
    refused(&scene, &["copy", "in.npy", "folder"], "folder: wanted a regular file");
    refused(&scene, &["copy", "in.npy", "none/out.npy"], "none/out.npy: create: No such file");
    refused(&scene, &["copy", "in.npy", "in.npy/out.npy"], "in.npy/out.npy: open: Not a directory");
    refused(&scene, &["inspect", "none.npy"], "none.npy: open: No such file");
    if cfg!(unix) {
        refused(&scene, &["copy", "in.npy", "/dev/null"], "/dev/null: wanted a regular file");
    }
}

#[test]
fn files_cut_short_at_any_byte() {
    let scene = scene();
    let bytes = fs::read(scene.path("in.npy")).unwrap();
    for length in (0..bytes.len()).filter(|length| length % 7 == 0 || *length > 170) {
        fs::write(scene.path("short.npy"), &bytes[..length]).unwrap();
        let wanted = if length < 6 { "wanted an .npy file" } else { "truncated" };
        refused(&scene, &["copy", "short.npy", "out.npy"], wanted);
    }
    let missing = "the header wants 176 bytes, the file has 175";
    fs::write(scene.path("short.npy"), &bytes[..175]).unwrap();
    refused(&scene, &["copy", "short.npy", "out.npy"], missing);
}

#[test]
fn foreign_files() {
    let scene = scene();
    let start = |version: &[u8; 2], text: &str| {
        let length = u16::try_from(text.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY", &version[..], &length, text.as_bytes()].concat()
    };
    let header = |text: &str| start(b"\x01\x00", text);
    for (bytes, message) in [
        (b"PK\x03\x04 and so on".to_vec(), "got an archive such as .npz"),
        (b"hello, world".to_vec(), "wanted an .npy file"),
        (start(b"\x04\x00", "{}"), "got 4.0"),
        (header("{}"), "the key 'descr'"),
        (header("[1]"), "a dict of Python"),
        (header("{'descr': '<f4'"), "a dict of Python"),
        (header("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}"), "references to objects"),
        (header("{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}"), "'fortran_order'"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}"), "'shape'"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': 3}"), "'shape'"),
        (header("{'descr': '|S0', 'fortran_order': False, 'shape': (3,)}"), "at least one byte"),
        (
            header("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2)}"),
            "foreign.npy: ",
        ),
        ([b"\x93NUMPY\x02\x00".to_vec(), vec![255; 9]].concat(), "got one of 4294967295"),
    ] {
        fs::write(scene.path("foreign.npy"), bytes).unwrap();
        for arguments in [&["copy", "foreign.npy", "out.npy"][..], &["inspect", "foreign.npy"]] {
            refused(&scene, arguments, message);
        }
    }
}

/// A disk that is too small: known before anything is copied, and nothing is left.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    use std::io::Read;
    use std::os::unix::process::CommandExt;
    let scene = scene();
    scene.array("large.npy", &Array::numbered("<i4", 4, false, &[1000, 1000]));
    // A limit on the size of files is met like a full disk: the call that makes room fails.
    let mut command = std::process::Command::new("sh");
    command
        .arg0("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 100; exec \"$0\" copy large.npy out.npy"]);
    command.arg(env!("CARGO_BIN_EXE_strideview")).current_dir(scene.path("."));
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("out.npy: reserve space: File too large"), "{said}");
    assert_eq!(scene.names(), ["in.npy", "large.npy"]);
}
