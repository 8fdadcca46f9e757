//! The most memory that is resident, as the system counts it.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Child;
use std::thread;
use std::time::Duration;

use crate::scene::{Array, Scene};

const LIMIT_IN_KB: u64 = 40 << 10;

/// `VmHWM` when it was last seen, which only grows.
fn high_water_in_kb(child: &mut Child) -> u64 {
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok());
        most = most.max(kilobytes.unwrap_or(0));
        thread::sleep(Duration::from_millis(1));
    }
    most
}

#[test]
fn memory_stays_under_the_limit() {
    let scene = Scene::new();
    scene.array("in.npy", &Array::numbered("<u4", 4, false, &[300, 320, 170]));
    for selection in [
        &["--permute", "2,0,1"][..],
        &["--permute", "1,0,2"],
        &["--permute", "2,1,0", "--slice", "::-1, 1:, ::-1"],
        &["--permute", "2,0,1", "--slice", "::7, ::5"],
        &["--order", "F"],
        &[],
    ] {
        let fixed = ["copy", "in.npy", "out.npy", "--memory", "40MiB"];
        let mut child = scene.command(&[&fixed, selection].concat()).spawn().unwrap();
        let most = high_water_in_kb(&mut child);
        assert!(child.wait().unwrap().success());
        assert!(most <= LIMIT_IN_KB, "{selection:?}: {most} kB of {LIMIT_IN_KB}");
    }
}
