//! Law: element i of the output is the element of the input that slice and permutation say.

use std::fs;

use crate::scene::{Array, Scene};

/// One axis of the source, and its indices that are taken.
struct Taken {
    axis: usize,
    indices: Vec<usize>,
}

/// Copies and compares, element by element. `taken` says of each axis of the result what it is.
fn check(array: &Array, arguments: &[&str], taken: &[Taken], held: &[(usize, usize)]) {
    let scene = Scene::new();
    scene.array("in.npy", array);
    scene.succeed(&[&["copy", "in.npy", "out.npy"], arguments].concat());
    let result = scene.read("out.npy");
    let context = format!("{:?} {arguments:?}", array.shape);
    assert_eq!(result.descr, array.descr, "{context}");
    let shape: Vec<usize> = taken.iter().map(|taken| taken.indices.len()).collect();
    assert_eq!(result.shape, shape, "{context}");
    let wants_f = arguments.windows(2).any(|pair| pair == ["--order", "F"]);
    assert_eq!(result.fortran_order, wants_f && shape.len() > 1, "{context}");
    assert_eq!(result.data.len(), shape.iter().product::<usize>() * array.itemsize, "{context}");
    let result = Array { itemsize: array.itemsize, ..result };
    for index in result.indices() {
        let mut source = vec![0; array.shape.len()];
        held.iter().for_each(|(axis, at)| source[*axis] = *at);
        for (taken, at) in taken.iter().zip(&index) {
            source[taken.axis] = taken.indices[*at];
        }
        assert_eq!(result.element(&index), array.element(&source), "{context} at {index:?}");
    }
    assert_eq!(scene.names(), ["in.npy", "out.npy"]);
}

fn whole(array: &Array, axes: &[usize]) -> Vec<Taken> {
    axes.iter().map(|&axis| Taken { axis, indices: (0..array.shape[axis]).collect() }).collect()
}

#[test]
fn permutations_of_both_orders() {
    for fortran_order in [false, true] {
        let array = Array::numbered("<f4", 4, fortran_order, &[7, 5, 9]);
        for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let permutation = axes.map(|axis| axis.to_string()).join(",");
            for order in ["C", "F"] {
                let arguments = ["--permute", &permutation, "--order", order];
                check(&array, &arguments, &whole(&array, &axes), &[]);
            }
        }
    }
}

#[test]
fn slices() {
    let array = Array::numbered("<i2", 2, false, &[6, 7, 8]);
    let some = |axis, indices: &[usize]| Taken { axis, indices: indices.to_vec() };
    let taken = [some(0, &[5, 3, 1]), some(1, &[2, 3]), some(2, &[0, 3, 6])];
    check(&array, &["--slice", "::-2, 2:4, ::3"], &taken, &[]);
    let taken = [some(2, &[7]), some(0, &[0, 1, 2, 3, 4, 5])];
    check(&array, &["--slice", ":, -2, -1:", "--permute", "1,0"], &taken, &[(1, 5)]);
    check(&array, &["--slice", "2, 3, 4"], &[], &[(0, 2), (1, 3), (2, 4)]);
    check(&array, &["--slice", "..., 0"], &whole(&array, &[0, 1]), &[]);
    check(
        &array,
        &["--slice", "3:3"],
        &[some(0, &[]), some(1, &[0, 1, 2, 3, 4, 5, 6]), some(2, &[0, 1, 2, 3, 4, 5, 6, 7])],
        &[],
    );
}

#[test]
fn ranks_and_empty_arrays() {
    for shape in [&[][..], &[1], &[5], &[0], &[3, 0, 2], &[1, 1, 1, 1], &[2, 3, 2, 3, 2]] {
        let array = Array::numbered("<f8", 8, false, shape);
        let axes: Vec<usize> = (0..shape.len()).collect();
        check(&array, &[], &whole(&array, &axes), &[]);
        let reversed: Vec<usize> = axes.iter().rev().copied().collect();
        let permutation: Vec<String> = reversed.iter().map(ToString::to_string).collect();
        let permutation = permutation.join(",");
        check(&array, &["--permute", &permutation], &whole(&array, &reversed), &[]);
    }
}

/// Any dtype is bytes: what is not a number of NumPy is handed on as it stands.
#[test]
fn dtypes() {
    for (descr, itemsize) in [
        ("'|b1'", 1),
        ("'>c16'", 16),
        ("'|S5'", 5),
        ("'<U3'", 12),
        ("'<M8[ns]'", 8),
        ("[('a', '<i4'), ('', '|V3'), ('b', '<f8', (2,))]", 23),
    ] {
        let array = Array::numbered("|V1", itemsize, false, &[4, 3]);
        let array = Array { descr: descr.to_owned(), ..array };
        check(&array, &["--permute", "1,0"], &whole(&array, &[1, 0]), &[]);
    }
}

/// Large enough that a small limit makes many blocks of it.
#[test]
fn many_blocks() {
    for (shape, permutation, axes) in
        [([160, 150, 70], "2,0,1", [2, 0, 1]), ([70, 160, 150], "0,2,1", [0, 2, 1])]
    {
        let scene = Scene::new();
        let array = Array::numbered("<u4", 4, false, &shape);
        scene.array("in.npy", &array);
        let selection = ["--permute", permutation, "--memory", "34MiB"];
        let plan = scene.succeed(&[&["plan", "in.npy"], &selection[..]].concat());
        let blocks = plan.lines().find(|line| line.starts_with("blocks: ")).unwrap();
        assert!(!blocks.starts_with("blocks: 1 "), "{blocks}");
        scene.succeed(&[&["copy", "in.npy", "out.npy"], &selection[..]].concat());
        let result = scene.read("out.npy");
        for index in result.indices() {
            let mut source = [0; 3];
            (0..3).for_each(|place| source[axes[place]] = index[place]);
            assert_eq!(result.element(&index), array.element(&source), "{index:?}");
        }
    }
}

#[test]
fn an_output_is_replaced_also_by_itself() {
    let scene = Scene::new();
    let array = Array::numbered("<i4", 4, false, &[3, 4]);
    scene.array("a.npy", &array);
    fs::write(scene.path("b.npy"), "something else").unwrap();
    scene.succeed(&["copy", "a.npy", "b.npy"]);
    assert_eq!(scene.read("b.npy"), array);
    scene.succeed(&["copy", "a.npy", "a.npy", "--permute", "1,0", "--sync"]);
    let transposed = scene.read("a.npy");
    assert_eq!(transposed.shape, [4, 3]);
    assert_eq!(transposed.element(&[3, 1]), array.element(&[1, 3]));
    assert_eq!(scene.names(), ["a.npy", "b.npy"]);
}

#[test]
fn names_may_be_as_long_as_they_can_be() {
    let scene = Scene::new();
    let array = Array::numbered("<i4", 4, false, &[3]);
    let name = "n".repeat(251) + ".npy";
    scene.array("in.npy", &array);
    scene.succeed(&["copy", "in.npy", &name]);
    assert_eq!(scene.read(&name), array);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scene = Scene::new();
    let array = Array::numbered("<i4", 4, false, &[3]);
    scene.array("in.npy", &array);
    fs::write(scene.path("real.npy"), "").unwrap();
    fs::set_permissions(scene.path("real.npy"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.npy", scene.path("link.npy")).unwrap();
    scene.succeed(&["copy", "in.npy", "link.npy"]);
    assert!(fs::symlink_metadata(scene.path("link.npy")).unwrap().is_symlink());
    assert_eq!(scene.read("real.npy"), array);
    let mode = fs::metadata(scene.path("real.npy")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}
