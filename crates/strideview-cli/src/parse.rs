//! Values of arguments: lists of integers, slices, sizes.
#![forbid(unsafe_code)]

use strideview::Slice;

/// A list of integers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Integers(pub(crate) Vec<i64>);

/// A list of slices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slices(pub(crate) Vec<Slice>);

/// `2,0,1`, also in parentheses and with a comma at the end; nothing is the empty list.
pub(crate) fn integers(text: &str) -> Result<Integers, String> {
    let text = text.trim();
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    entries(inside).map(integer).collect::<Result<_, _>>().map(Integers)
}

/// The parts between commas; one comma at the end is none too many.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim();
    let count = if text.is_empty() { 0 } else { usize::MAX };
    let text = text.strip_suffix(',').unwrap_or(text);
    text.split(',').map(str::trim).take(count)
}

fn integer(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("wanted an integer of 64 bits, got {text:?}"))
}

/// `:, ::2, -1, ..., None`, also in brackets.
pub(crate) fn slices(text: &str) -> Result<Slices, String> {
    let text = text.trim();
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    entries(inside).map(slice).collect::<Result<_, _>>().map(Slices)
}

fn slice(text: &str) -> Result<Slice, String> {
    match text {
        "..." | "Ellipsis" => return Ok(Slice::Ellipsis),
        "None" | "newaxis" => return Ok(Slice::NewAxis),
        _ => {}
    }
    if !text.contains(':') {
        return integer(text).map(Slice::Index);
    }
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let part = |place: usize| match parts.get(place) {
        None | Some(&"") => Ok(None),
        Some(text) => integer(text).map(Some),
    };
    if parts.len() > 3 {
        return Err(format!("wanted start:stop:step, got {text:?}"));
    }
    Ok(Slice::Range { start: part(0)?, stop: part(1)?, step: part(2)?.unwrap_or(1) })
}

/// Bytes, with a unit or without one.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 12] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("K", 1 << 10),
        ("M", 1 << 20),
        ("G", 1 << 30),
        ("B", 1),
    ];
    let fault = || format!("wanted a size such as 1GiB, 512MiB or 1000000000, got {text:?}");
    let lower = text.trim().to_ascii_lowercase();
    let unit = UNITS
        .iter()
        .find_map(|(unit, bytes)| Some((lower.strip_suffix(&unit.to_ascii_lowercase())?, *bytes)));
    let (number, bytes) = unit.unwrap_or((&lower, 1));
    let (whole, fraction) = number.trim().split_once('.').unwrap_or((number.trim(), ""));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !(fraction.is_empty() || digits(fraction)) || fraction.len() > 9 {
        return Err(fault());
    }
    let whole: u128 = whole.parse().map_err(|_| fault())?;
    let scale = 10_u128.pow(u32::try_from(fraction.len()).unwrap_or(0));
    let fraction: u128 = fraction.parse().unwrap_or(0);
    let part = u128::from(bytes) * fraction / scale;
    let total = whole.checked_mul(bytes.into()).and_then(|whole| whole.checked_add(part));
    total.and_then(|total| u64::try_from(total).ok()).ok_or_else(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_integers() {
        for (text, wanted) in
            [("2,0,1", &[2, 0, 1][..]), (" (3,) ", &[3]), ("", &[]), ("-1", &[-1])]
        {
            assert_eq!(integers(text), Ok(Integers(wanted.to_vec())), "{text:?}");
        }
        for text in ["2,,1", "a", "1.5", "1;2", ",", "99999999999999999999"] {
            assert!(integers(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn slices_as_in_python() {
        let range =
            |start, stop, step: Option<i64>| Slice::Range { start, stop, step: step.unwrap_or(1) };
        let wanted = vec![
            range(None, None, None),
            range(None, None, Some(2)),
            range(Some(1), Some(-1), None),
            Slice::Index(-3),
            Slice::Ellipsis,
            Slice::NewAxis,
        ];
        assert_eq!(slices(":, ::2, 1:-1, -3, ..., None"), Ok(Slices(wanted)));
        assert_eq!(slices("[ : ]"), Ok(Slices(vec![range(None, None, None)])));
        for text in ["a", "1:2:3:4", ":,,:", "1:x"] {
            assert!(slices(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn sizes() {
        for (text, wanted) in [
            ("0", 0),
            ("1000", 1000),
            ("1KiB", 1024),
            ("1.5 gib", 3 << 29),
            ("2GB", 2_000_000_000),
            ("512M", 512 << 20),
            ("7B", 7),
        ] {
            assert_eq!(size(text), Ok(wanted), "{text:?}");
        }
        for text in ["", "GiB", "-1", "1.2.3GiB", "1XB", "99999999999999TiB", "1e9", "."] {
            assert!(size(text).is_err(), "{text:?}");
        }
    }
}
