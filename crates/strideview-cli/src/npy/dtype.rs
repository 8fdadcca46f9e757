//! The size of an element, from the description of its dtype.
#![forbid(unsafe_code)]

use super::literal::{Literal, Value};

/// Why a dtype cannot be copied.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// Elements are references to Python objects, kept as a pickle.
    Objects,
    /// It is not a description of a dtype.
    Unknown,
}

/// Bytes of an element.
pub(super) fn itemsize(descr: &Literal) -> Result<i64, Fault> {
    match &descr.value {
        Value::Text(text) => simple(text),
        Value::List(fields) => fields.iter().try_fold(0_i64, |sum, field| {
            sum.checked_add(field_size(field)?).ok_or(Fault::Unknown)
        }),
        Value::Tuple(parts) => match &parts[..] {
            [element, shape] => repeated(itemsize(element)?, &shape.value),
            _ => Err(Fault::Unknown),
        },
        _ => Err(Fault::Unknown),
    }
}

/// `(name, dtype)` or `(name, dtype, shape)`.
fn field_size(field: &Literal) -> Result<i64, Fault> {
    match field.value.items() {
        Some([_, element]) => itemsize(element),
        Some([_, element, shape]) => repeated(itemsize(element)?, &shape.value),
        _ => Err(Fault::Unknown),
    }
}

/// So many of them: an extent, or extents.
fn repeated(itemsize: i64, shape: &Value) -> Result<i64, Fault> {
    let times = |size: i64, extent: &Value| match extent {
        Value::Integer(extent @ 0..) => size.checked_mul(*extent).ok_or(Fault::Unknown),
        _ => Err(Fault::Unknown),
    };
    match shape.items() {
        Some(extents) => extents.iter().try_fold(itemsize, |size, item| times(size, &item.value)),
        None => times(itemsize, shape),
    }
}

/// `<f4`, `|S5`, `<U3`, `<M8[ns]`, `|V16`: a kind and a number.
fn simple(text: &[u8]) -> Result<i64, Fault> {
    let text = std::str::from_utf8(text).map_err(|_| Fault::Unknown)?;
    let text = text.strip_prefix(['<', '>', '|', '=']).unwrap_or(text);
    let mut characters = text.chars();
    let kind = characters.next().ok_or(Fault::Unknown)?;
    let number = characters.as_str();
    let digits = number.find(|character: char| !character.is_ascii_digit()).unwrap_or(number.len());
    let (number, unit) = number.split_at(digits);
    let is_unit = matches!(kind, 'm' | 'M') && unit.starts_with('[') && unit.ends_with(']');
    if kind == 'O' {
        return Err(Fault::Objects);
    }
    if !unit.is_empty() && !is_unit {
        return Err(Fault::Unknown);
    }
    let number: i64 = match (kind, number) {
        ('?', "") => 1,
        _ => number.parse().map_err(|_| Fault::Unknown)?,
    };
    match kind {
        'U' => number.checked_mul(4).ok_or(Fault::Unknown),
        'b' | 'i' | 'u' | 'f' | 'c' | 'm' | 'M' if number == 0 => Err(Fault::Unknown),
        'b' | 'i' | 'u' | 'f' | 'c' | 'm' | 'M' | 'S' | 'a' | 'V' | '?' => Ok(number),
        _ => Err(Fault::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::super::literal::parse;
    use super::*;

    fn size(text: &str) -> Result<i64, Fault> {
        itemsize(&parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn sizes_are_those_of_numpy() {
        for (text, wanted) in [
            ("'<f4'", 4),
            ("'>c16'", 16),
            ("'|b1'", 1),
            ("'<f16'", 16),
            ("'|S5'", 5),
            ("'<U3'", 12),
            ("'<M8[ns]'", 8),
            ("'<m8[25us]'", 8),
            ("'|V7'", 7),
            ("[('a', '<i4'), ('', '|V4'), ('b', '<f8', (2, 3))]", 56),
            ("[(('title', 'name'), '<f2'), ('in', [('x', '|u1', (3,))])]", 5),
            ("('<f4', (2, 2))", 16),
        ] {
            assert_eq!(size(text), Ok(wanted), "{text}");
        }
        assert_eq!(size("'|O'"), Err(Fault::Objects));
        assert_eq!(size("[('a', '|O')]"), Err(Fault::Objects));
        for text in [
            "''",
            "'<'",
            "'f'",
            "'<f4x'",
            "'x4'",
            "3",
            "[3]",
            "[('a',)]",
            "'<i0'",
            "'<f99999999999999999999'",
        ] {
            assert_eq!(size(text), Err(Fault::Unknown), "{text}");
        }
    }
}
