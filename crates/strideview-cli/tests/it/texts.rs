//! What is printed.

use crate::scene::{Array, Scene};

#[test]
fn what_inspect_prints() {
    let scene = Scene::new();
    scene.array("in.npy", &Array::numbered("<f4", 4, true, &[2, 3]));
    let wanted = "file: in.npy\n\
                  format: npy 1.0, data from byte 128\n\
                  dtype: '<f4'\n\
                  order: F\n\
                  contiguous: F\n\
                  bytes: 24\n\
                  \n\
                  (2, 3):(1, 2) x4\n\
                  6 elements in cells 0 to 5 of 4 bytes; no gap\n\
                  axis 0: extent 2, stride 1\n\
                  axis 1: extent 3, stride 2\n\
                  slowest to fastest: 1, 0\n\
                  \n\
                  0 | 00 10\n\
                  2 | 01 11\n\
                  4 | 02 12\n";
    assert_eq!(scene.succeed(&["inspect", "in.npy"]), wanted);
    let svg = scene.succeed(&["inspect", "in.npy", "--svg"]);
    assert!(svg.starts_with("<svg ") && svg.contains(">in.npy<"), "{svg}");
}

#[test]
fn what_plan_prints() {
    let scene = Scene::new();
    let plan = scene.succeed(&["plan", "--shape", "4,6", "--itemsize", "2", "--permute", "1,0"]);
    let (facts, resident) = plan.split_once("resident: ").unwrap();
    let wanted = "source: (6, 4):(1, 6) x2\n\
                  destination: (6, 4):(4, 1) x2\n\
                  kernel: transposed, runs of 2 bytes\n\
                  axes: 6 (destination 8, source 2), 4 (destination 2, source 12)\n\
                  first run: destination 0, source 0\n\
                  bytes to move: 48\n\
                  blocks: 1 of at most 48 bytes\n\
                  runs of a block: destination 48 bytes, source 48 bytes\n";
    assert_eq!(facts, wanted);
    assert!(resident.starts_with("at most "), "{resident}");
    let reversed = scene.succeed(&["plan", "--shape", "5", "--strides", "-1", "--order", "f"]);
    assert!(reversed.starts_with("source: (5,):(-1,) x4 @4\n"), "{reversed}");
    let nothing = scene.succeed(&["plan", "--shape", "0,3"]);
    assert!(nothing.contains("kernel: nothing") && !nothing.contains("blocks"), "{nothing}");
}

/// Beside a terminal nothing is said: what was asked for is a file.
#[test]
fn a_copy_is_silent() {
    let scene = Scene::new();
    scene.array("in.npy", &Array::numbered("<f4", 4, false, &[300, 400]));
    assert_eq!(scene.succeed(&["copy", "in.npy", "out.npy", "--permute", "1,0"]), "");
}

#[test]
fn help_and_version() {
    let scene = Scene::new();
    for arguments in [&["--help"][..], &["help", "copy"], &["plan", "--help"]] {
        assert!(scene.succeed(arguments).contains("Usage: strideview"), "{arguments:?}");
    }
    let version = format!("strideview {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(scene.succeed(&["--version"]), version);
}
