//! A copy that is stopped: the output is never there in part, and a signal that can be caught
//! leaves nothing at all.
#![cfg(unix)]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use strideview_testkit::Random;

use crate::scene::{Array, Scene};

const COPY: [&str; 7] = ["copy", "in.npy", "out.npy", "--permute", "2,0,1", "--memory", "36MiB"];

/// A folder with an array that takes a while: 12 MB.
fn scene() -> (Scene, Array) {
    let scene = Scene::new();
    let array = Array::numbered("<u4", 4, false, &[150, 200, 100]);
    scene.array("in.npy", &array);
    (scene, array)
}

fn start(scene: &Scene) -> Child {
    scene.command(&COPY).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success() || !name.is_empty());
}

/// Waits until the unfinished output is there.
fn wait_for_part(scene: &Scene, child: &mut Child) -> bool {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        if scene.names().iter().any(|name| name.ends_with(".part")) {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        thread::sleep(Duration::from_micros(200));
    }
    panic!("no output within a minute");
}

/// Element for element.
fn check_whole(scene: &Scene, array: &Array) {
    let result = scene.read("out.npy");
    assert_eq!(result.shape, [100, 150, 200]);
    assert_eq!(result.data.len(), array.data.len());
    let elements = |data: &[u8]| -> Vec<[u8; 4]> {
        data.chunks_exact(4).map(|bytes| bytes.try_into().unwrap()).collect()
    };
    let (source, result) = (elements(&array.data), elements(&result.data));
    for (at, element) in result.iter().enumerate() {
        let (k, rest) = (at / 30_000, at % 30_000);
        assert_eq!(*element, source[rest * 100 + k], "{at}");
    }
}

#[test]
fn signals_leave_nothing() {
    let (scene, array) = scene();
    for (name, status) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let mut child = start(&scene);
        if wait_for_part(&scene, &mut child) {
            signal(&child, name);
        }
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            // It was quicker than the signal.
            Some(0) => {
                check_whole(&scene, &array);
                fs::remove_file(scene.path("out.npy")).unwrap();
            }
            code => {
                assert_eq!(code, Some(status), "{said}");
                assert!(said.contains("out.npy was not written"), "{said}");
            }
        }
        assert_eq!(scene.names(), ["in.npy"], "{name}");
    }
}

#[test]
fn killed_at_any_moment_there_is_all_or_nothing() {
    let (scene, array) = scene();
    let started = Instant::now();
    assert!(start(&scene).wait().unwrap().success());
    let whole = started.elapsed();
    check_whole(&scene, &array);
    fs::remove_file(scene.path("out.npy")).unwrap();
    let mut random = Random::new(7);
    for _ in 0..20 {
        let mut child = start(&scene);
        let part = u32::try_from(random.below(1100)).unwrap();
        thread::sleep(whole * part / 1000);
        signal(&child, "-KILL");
        child.wait().unwrap();
        for name in scene.names() {
            match name.as_str() {
                "in.npy" => {}
                "out.npy" => check_whole(&scene, &array),
                part => assert!(part.starts_with(".out.npy.") && part.ends_with(".part"), "{part}"),
            }
            if name != "in.npy" {
                fs::remove_file(scene.path(&name)).unwrap();
            }
        }
    }
}
