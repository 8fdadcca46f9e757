//! A reader for the JSON that cargo writes: enough of the language to find names and lists in it.

use std::iter::Peekable;
use std::str::Chars;

use crate::Outcome;

/// A JSON value. Numbers, booleans and null are not told apart, since nothing here asks.
#[derive(Debug, PartialEq)]
pub(crate) enum Json {
    /// A number, `true`, `false` or `null`.
    Scalar,
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object, its members in the order written.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one document.
    pub(crate) fn parse(text: &str) -> Outcome<Json> {
        let mut reader = Reader { rest: text.chars().peekable() };
        let value = reader.value()?;
        match reader.next_token() {
            None => Ok(value),
            Some(c) => Err(format!("JSON goes on after its end with {c:?}")),
        }
    }

    /// The member of that name; an error where this is no object or has none.
    pub(crate) fn get(&self, name: &str) -> Outcome<&Json> {
        let Json::Object(members) = self else {
            return Err(format!("JSON: wanted an object with {name:?}, got another value"));
        };
        let found = members.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value).ok_or_else(|| format!("JSON: no member {name:?}"))
    }

    /// The string here; `None` for any other value.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    /// The names of the members of the object here; none for any other value.
    pub(crate) fn names(&self) -> Vec<String> {
        let Json::Object(members) = self else { return Vec::new() };
        members.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The items of the array here; none for any other value.
    pub(crate) fn items(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    /// The next character that is not white space, left where it is.
    fn next_token(&mut self) -> Option<char> {
        while self.rest.next_if(|c| c.is_ascii_whitespace()).is_some() {}
        self.rest.peek().copied()
    }

    fn value(&mut self) -> Outcome<Json> {
        match self.next_token() {
            Some('{') => self.object(),
            Some('[') => self.list(),
            Some('"') => self.string().map(Json::Text),
            Some(c) if c.is_ascii_alphanumeric() || c == '-' => {
                let part = |c: &char| c.is_ascii_alphanumeric() || "+-.".contains(*c);
                while self.rest.next_if(part).is_some() {}
                Ok(Json::Scalar)
            }
            other => Err(format!("JSON: wanted a value, got {other:?}")),
        }
    }

    fn expect(&mut self, wanted: char) -> Outcome {
        match self.next_token() {
            Some(c) if c == wanted => {
                self.rest.next();
                Ok(())
            }
            other => Err(format!("JSON: wanted {wanted:?}, got {other:?}")),
        }
    }

    /// After an item: whether another follows. Takes the comma or the closing character.
    fn more(&mut self, close: char) -> Outcome<bool> {
        if self.next_token() == Some(',') {
            self.rest.next();
            return Ok(true);
        }
        self.expect(close).map(|()| false)
    }

    fn list(&mut self) -> Outcome<Json> {
        self.expect('[')?;
        let mut items = Vec::new();
        if self.next_token() == Some(']') {
            self.rest.next();
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value()?);
            if !self.more(']')? {
                return Ok(Json::List(items));
            }
        }
    }

    fn object(&mut self) -> Outcome<Json> {
        self.expect('{')?;
        let mut members = Vec::new();
        if self.next_token() == Some('}') {
            self.rest.next();
            return Ok(Json::Object(members));
        }
        loop {
            let name = self.string()?;
            self.expect(':')?;
            members.push((name, self.value()?));
            if !self.more('}')? {
                return Ok(Json::Object(members));
            }
        }
    }

    fn string(&mut self) -> Outcome<String> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(c) => text.push(c),
                None => return Err("JSON: a string without an end".into()),
            }
        }
    }

    /// The character after a backslash. Halves of surrogate pairs, which cargo does not write,
    /// become the replacement character.
    fn escape(&mut self) -> Outcome<char> {
        match self.rest.next() {
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('r') => Ok('\r'),
            Some('b') => Ok('\u{8}'),
            Some('f') => Ok('\u{c}'),
            Some('u') => {
                let digits: String = self.rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16)
                    .map_err(|error| format!("JSON: \\u{digits}: {error}"))?;
                Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
            Some(c @ ('"' | '\\' | '/')) => Ok(c),
            other => Err(format!("JSON: wanted an escape, got {other:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_is_read() {
        let json = Json::parse(r#" {"a": [1, -2.5e+3, true, null], "b": {}, "c": [], "d": "e"} "#);
        let json = json.unwrap();
        assert_eq!(json.get("a").unwrap().items().len(), 4);
        assert_eq!(json.get("b").unwrap(), &Json::Object(vec![]));
        assert_eq!(json.get("c").unwrap(), &Json::List(vec![]));
        assert_eq!(json.get("d").unwrap().text(), Some("e"));
        assert_eq!(json.get("e").unwrap_err(), "JSON: no member \"e\"");
    }

    #[test]
    fn escapes_are_undone() {
        let json = Json::parse(r#""C:\\x \"q\" \u00e9\n""#).unwrap();
        assert_eq!(json.text(), Some("C:\\x \"q\" é\n"));
    }

    #[test]
    fn broken_documents_are_refused() {
        for text in ["", "[1", "[1,]", "{\"a\" 1}", "\"", "\"\\x\"", "\"\\u12\"", "1 2", "{1:2}"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }
}
