//! The Python literals that a header is made of.
#![forbid(unsafe_code)]

use std::ops::Range;

/// Literals inside literals that are read; headers need a handful.
const MOST_DEPTH: usize = 32;

/// A literal, and where in the text it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Literal {
    pub(super) value: Value,
    pub(super) place: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// The bytes between the quotes, as they stand.
    Text(Vec<u8>),
    Integer(i64),
    Bool(bool),
    None,
    Tuple(Vec<Literal>),
    List(Vec<Literal>),
    Dict(Vec<(Literal, Literal)>),
}

impl Value {
    /// What a tuple or a list holds.
    pub(super) fn items(&self) -> Option<&[Literal]> {
        match self {
            Self::Tuple(items) | Self::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Reads a text that is one literal; None when it is none, or one that a header does not have.
pub(super) fn parse(text: &[u8]) -> Option<Literal> {
    let mut reader = Reader { text, at: 0 };
    let literal = reader.literal(0)?;
    reader.skip_blanks();
    (reader.at == text.len()).then_some(literal)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// The next byte that is not blank, which stays.
    fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn literal(&mut self, depth: usize) -> Option<Literal> {
        if depth > MOST_DEPTH {
            return None;
        }
        let first = self.peek()?;
        let start = self.at;
        let value = match first {
            b'\'' | b'"' => self.text_in(first)?,
            b'(' => self.tuple(depth)?,
            b'[' => Value::List(self.items(depth, b'[', b']')?.0),
            b'{' => self.dict(depth)?,
            _ => self.word()?,
        };
        Some(Literal { value, place: start..self.at })
    }

    fn text_in(&mut self, quote: u8) -> Option<Value> {
        self.take(quote)?;
        let start = self.at;
        loop {
            match *self.text.get(self.at)? {
                b'\\' => self.at += 2,
                byte if byte == quote => break,
                _ => self.at += 1,
            }
        }
        let inside = self.text.get(start..self.at)?.to_vec();
        self.at += 1;
        Some(Value::Text(inside))
    }

    /// Items between brackets, and whether a comma ends them.
    fn items(&mut self, depth: usize, open: u8, close: u8) -> Option<(Vec<Literal>, bool)> {
        self.take(open)?;
        let (mut items, mut comma) = (Vec::new(), true);
        while self.peek()? != close {
            if !comma {
                return None;
            }
            items.push(self.literal(depth + 1)?);
            comma = self.take(b',').is_some();
        }
        self.take(close)?;
        Some((items, comma))
    }

    /// A tuple, or a literal in parentheses.
    fn tuple(&mut self, depth: usize) -> Option<Value> {
        let (mut items, comma) = self.items(depth, b'(', b')')?;
        if items.len() == 1 && !comma {
            return items.pop().map(|item| item.value);
        }
        Some(Value::Tuple(items))
    }

    fn dict(&mut self, depth: usize) -> Option<Value> {
        self.take(b'{')?;
        let (mut entries, mut comma) = (Vec::new(), true);
        while self.peek()? != b'}' {
            if !comma {
                return None;
            }
            let key = self.literal(depth + 1)?;
            self.take(b':')?;
            entries.push((key, self.literal(depth + 1)?));
            comma = self.take(b',').is_some();
        }
        self.take(b'}')?;
        Some(Value::Dict(entries))
    }

    /// `True`, `False`, `None`, or an integer; one of Python 2 may end in `L`.
    fn word(&mut self) -> Option<Value> {
        let start = self.at;
        let is_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'_');
        while self.text.get(self.at).is_some_and(is_word) {
            self.at += 1;
        }
        let word = std::str::from_utf8(self.text.get(start..self.at)?).ok()?;
        Some(match word {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::None,
            _ => Value::Integer(word.strip_suffix('L').unwrap_or(word).parse().ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read() {
        let text = b"{'a': [(1, -2L), (3,), (), (4)], \"b'\": True, 'c': None,}";
        let Some(Literal { value: Value::Dict(entries), .. }) = parse(text) else { panic!() };
        assert_eq!(&text[entries[0].1.place.clone()], b"[(1, -2L), (3,), (), (4)]");
        let Some(items) = entries[0].1.value.items() else { panic!() };
        assert_eq!(items[0].value.items().map(<[_]>::len), Some(2));
        assert_eq!(items[3].value, Value::Integer(4));
        assert_eq!(entries[1].0.value, Value::Text(b"b'".to_vec()));
    }

    #[test]
    fn other_texts_are_not() {
        for text in
            ["", "{", "(1", "[1 2]", "'", "'\\", "{'a' 1}", "{'a': 1 'b': 2}", "1 2", "nan", "(,)"]
        {
            assert_eq!(parse(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(parse(&[b'('; 1_000_000]), None);
    }
}
