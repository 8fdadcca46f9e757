//! The header: what is in the file, as the text of a Python dict.
#![forbid(unsafe_code)]

use std::fmt;
use std::io::{self, Read};

use super::dtype::{self, Fault};
use super::literal::{self, Value};

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What a header may be long; NumPy's own are rarely above a kilobyte.
const MOST_BYTES: u32 = 16 << 20;

/// Data starts at a multiple of this.
const ALIGNMENT: usize = 64;

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version(u8, u8);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// What a header says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub(crate) version: Version,
    /// The dtype, as the file has it.
    pub(crate) descr: Vec<u8>,
    /// Bytes of an element.
    pub(crate) itemsize: i64,
    pub(crate) fortran_order: bool,
    pub(crate) shape: Vec<i64>,
}

/// Why something is no header.
#[derive(Debug)]
pub(crate) enum HeaderError {
    Read(io::Error),
    /// The file ends before the header does.
    Short,
    NotNpy,
    /// An archive of several arrays.
    Npz,
    Version(Version),
    TooLong(u32),
    /// The text is not the dict that it should be.
    Malformed(&'static str),
    Objects,
    Layout(strideview::LayoutError),
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Short => f.write_str("truncated: the file ends inside its header"),
            Self::NotNpy => f.write_str("wanted an .npy file, got another one"),
            Self::Npz => f.write_str("wanted an .npy file, got an archive such as .npz: unpack it"),
            Self::Version(version) => {
                write!(f, "wanted version 1.0, 2.0 or 3.0 of the format, got {version}")
            }
            Self::TooLong(bytes) => {
                write!(f, "wanted a header of at most {MOST_BYTES} bytes, got one of {bytes}")
            }
            Self::Malformed(what) => write!(f, "malformed header: wanted {what}"),
            Self::Objects => f.write_str("wanted a dtype with elements, got references to objects"),
            Self::Layout(error) => error.fmt(f),
        }
    }
}

impl Header {
    /// Reads the header; returns it and the number of bytes before the data.
    pub(crate) fn read(mut file: impl Read) -> Result<(Self, u64), HeaderError> {
        let mut start = [0; 8];
        match fill(&mut file, &mut start) {
            Err(HeaderError::Short) if !start.starts_with(MAGIC) => return Err(foreign(&start)),
            result => result?,
        }
        if !start.starts_with(MAGIC) {
            return Err(foreign(&start));
        }
        let version = Version(start[6], start[7]);
        let (length, before) = match version {
            Version(1, 0) => {
                let mut bytes = [0; 2];
                fill(&mut file, &mut bytes)?;
                (u32::from(u16::from_le_bytes(bytes)), 10)
            }
            Version(2 | 3, 0) => {
                let mut bytes = [0; 4];
                fill(&mut file, &mut bytes)?;
                (u32::from_le_bytes(bytes), 12)
            }
            _ => return Err(HeaderError::Version(version)),
        };
        if length > MOST_BYTES {
            return Err(HeaderError::TooLong(length));
        }
        let mut text = Vec::new();
        let read = file.take(length.into()).read_to_end(&mut text).map_err(HeaderError::Read)?;
        if read as u64 != u64::from(length) {
            return Err(HeaderError::Short);
        }
        Ok((Self::parse(version, &text)?, before + u64::from(length)))
    }

    fn parse(version: Version, text: &[u8]) -> Result<Self, HeaderError> {
        let malformed = HeaderError::Malformed;
        let literal = literal::parse(text).ok_or(malformed("a dict of Python"))?;
        let Value::Dict(entries) = literal.value else { return Err(malformed("a dict of Python")) };
        let entry = |name: &str| {
            let found = |key: &Value| *key == Value::Text(name.as_bytes().to_vec());
            entries.iter().rev().find(|(key, _)| found(&key.value)).map(|(_, value)| value)
        };
        let descr = entry("descr").ok_or(malformed("the key 'descr'"))?;
        let itemsize = dtype::itemsize(descr).map_err(|fault| match fault {
            Fault::Objects => HeaderError::Objects,
            Fault::Unknown => malformed("a dtype at the key 'descr'"),
        })?;
        if itemsize == 0 {
            return Err(malformed("a dtype of at least one byte"));
        }
        let Some(Value::Bool(fortran_order)) = entry("fortran_order").map(|entry| &entry.value)
        else {
            return Err(malformed("True or False at the key 'fortran_order'"));
        };
        let shape = entry("shape").and_then(|entry| extents(&entry.value));
        let shape = shape.ok_or(malformed("a tuple of extents at the key 'shape'"))?;
        let descr = text[descr.place.clone()].to_vec();
        Ok(Self { version, descr, itemsize, fortran_order: *fortran_order, shape })
    }

    /// The header as bytes, padded so that the data behind it is aligned.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut text = b"{'descr': ".to_vec();
        text.extend(&self.descr);
        text.extend(if self.fortran_order {
            &b", 'fortran_order': True"[..]
        } else {
            b", 'fortran_order': False"
        });
        let extents: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        let comma = if extents.len() == 1 { "," } else { "" };
        text.extend(format!(", 'shape': ({}{comma}), }}", extents.join(", ")).bytes());
        let padded = |before: usize| (before + text.len() + 1).next_multiple_of(ALIGNMENT) - before;
        // The third version says that names are UTF-8; the second, that the header is long.
        let (version, before) = match u16::try_from(padded(10)) {
            Ok(_) if self.version.0 < 3 => (Version(1, 0), 10),
            _ => (Version(self.version.0.max(2), 0), 12),
        };
        let length = padded(before);
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version.0, version.1]);
        match before {
            10 => bytes.extend(u16::try_from(length).unwrap_or(0).to_le_bytes()),
            _ => bytes.extend(u32::try_from(length).unwrap_or(0).to_le_bytes()),
        }
        bytes.extend(&text);
        bytes.resize(before + length - 1, b' ');
        bytes.push(b'\n');
        bytes
    }
}

fn extents(shape: &Value) -> Option<Vec<i64>> {
    let Value::Tuple(items) = shape else { return None };
    let extent = |value: &Value| match value {
        Value::Integer(extent @ 0..) => Some(*extent),
        _ => None,
    };
    items.iter().map(|item| extent(&item.value)).collect()
}

fn fill(file: &mut impl Read, bytes: &mut [u8]) -> Result<(), HeaderError> {
    file.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => HeaderError::Short,
        _ => HeaderError::Read(error),
    })
}

/// What a file that does not start as it should is.
fn foreign(start: &[u8]) -> HeaderError {
    if start.starts_with(b"PK\x03\x04") { HeaderError::Npz } else { HeaderError::NotNpy }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(descr: &str, shape: &[i64]) -> Header {
        let descr_literal = literal::parse(descr.as_bytes()).unwrap();
        Header {
            version: Version(1, 0),
            descr: descr.as_bytes().to_vec(),
            itemsize: dtype::itemsize(&descr_literal).unwrap(),
            fortran_order: true,
            shape: shape.to_vec(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let long = format!("[{}('z', '<f4')]", "('a', '|V1'), ".repeat(10_000));
        for (descr, shape) in [("'<f4'", &[][..]), ("'<f4'", &[3]), (&long, &[1, 2])] {
            let wanted = header(descr, shape);
            let bytes = wanted.to_bytes();
            assert!(bytes.len().is_multiple_of(ALIGNMENT));
            let (got, offset) = Header::read(&bytes[..]).unwrap();
            let version = if descr.len() > 65_000 { Version(2, 0) } else { Version(1, 0) };
            assert_eq!((got, offset), (Header { version, ..wanted }, bytes.len() as u64));
        }
    }

    #[test]
    fn every_prefix_is_refused() {
        let bytes = header("'<f4'", &[3, 4]).to_bytes();
        for length in 0..bytes.len() {
            assert!(Header::read(&bytes[..length]).is_err(), "{length}");
        }
    }
}
