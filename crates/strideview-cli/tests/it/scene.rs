//! A folder with files, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder that goes when this does.
pub(crate) struct Scene(TempDir);

impl Scene {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program, in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_strideview"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs it; it must succeed and say nothing on standard error. Returns what it printed.
    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {said}");
        assert_eq!(said, "", "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs it; it must fail with this status. Returns what it said.
    pub(crate) fn fail(&self, status: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
        said
    }

    /// The names in the folder, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Writes an array of so many bytes, all different as far as they go.
    pub(crate) fn array(&self, name: &str, array: &Array) {
        fs::write(self.path(name), array.to_bytes()).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Array {
        Array::read(&self.path(name))
    }
}

/// An array as an `.npy` file has it; written and read here without the code under test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) descr: String,
    pub(crate) itemsize: usize,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Vec<u8>,
}

impl Array {
    /// Elements of different bytes.
    pub(crate) fn numbered(
        descr: &str,
        itemsize: usize,
        fortran_order: bool,
        shape: &[usize],
    ) -> Self {
        let bytes = shape.iter().product::<usize>() * itemsize;
        let byte = |at: usize| {
            let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            u8::try_from(mixed >> 56).unwrap()
        };
        let data = (0..bytes).map(byte).collect();
        Self { descr: format!("'{descr}'"), itemsize, fortran_order, shape: shape.to_vec(), data }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let extents: String = self.shape.iter().map(|extent| format!("{extent}, ")).collect();
        let order = if self.fortran_order { "True" } else { "False" };
        let text = format!(
            "{{'descr': {}, 'fortran_order': {order}, 'shape': ({}), }}",
            self.descr,
            if self.shape.len() == 1 { extents.trim() } else { extents.trim_end_matches(", ") }
        );
        let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(length).unwrap().to_le_bytes());
        bytes.extend(format!("{text:<width$}\n", width = length - 1).bytes());
        bytes.extend(&self.data);
        bytes
    }

    fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert!((10 + length).is_multiple_of(64));
        let text = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
        let after = |key: &str| text.split_once(key).unwrap().1;
        let descr = after("'descr': ").split_once(", 'fortran_order'").unwrap().0.to_owned();
        let extents = after("'shape': (").split_once(')').unwrap().0;
        let shape = extents.split(',').filter_map(|extent| extent.trim().parse().ok()).collect();
        let digits: String = descr.chars().filter(char::is_ascii_digit).collect();
        let itemsize = digits.parse().unwrap_or(0);
        let fortran_order = after("'fortran_order': ").starts_with("True");
        Self { descr, itemsize, fortran_order, shape, data: bytes[10 + length..].to_vec() }
    }

    /// Where an element starts in the data.
    fn offset(&self, index: &[usize]) -> usize {
        let walk = |axes: &mut dyn Iterator<Item = usize>| {
            axes.fold(0, |offset, axis| offset * self.shape[axis] + index[axis])
        };
        let element = match self.fortran_order {
            false => walk(&mut (0..self.shape.len())),
            true => walk(&mut (0..self.shape.len()).rev()),
        };
        element * self.itemsize
    }

    pub(crate) fn element(&self, index: &[usize]) -> &[u8] {
        let offset = self.offset(index);
        &self.data[offset..offset + self.itemsize]
    }

    /// All indices in C order.
    pub(crate) fn indices(&self) -> Vec<Vec<usize>> {
        let mut indices = vec![Vec::new()];
        for extent in &self.shape {
            let longer = |index: &Vec<usize>| {
                let index = index.clone();
                (0..*extent).map(move |entry| [&index[..], &[entry]].concat())
            };
            indices = indices.iter().flat_map(longer).collect();
        }
        indices
    }
}
