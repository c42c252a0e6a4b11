//! Validates JSON and finds the members of an object. No recursion, no allocation but for nesting
//! deeper than 64.

use super::skip::{after_colon, byte, string_end, value_end, white};
use super::unescape::unescapes_to;

/// The text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Syntax;

/// A JSON value's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`
    Null,
}

/// The text of one valid JSON value, without white space around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    /// What is known to be valid: not looked at again.
    pub(crate) fn of_valid(text: &'a [u8]) -> Self {
        Self(text)
    }

    /// The value's text.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// What it is, told by its first byte.
    pub fn kind(self) -> Kind {
        match self.0.first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// What stands between a string's quotes, escapes as sent; `None` for other kinds.
    pub fn string_body(self) -> Option<&'a [u8]> {
        self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")
    }

    /// The member called `name`, where this is an object that has one.
    #[inline(never)]
    pub fn member(self, name: &str) -> Option<Self> {
        members(self.0, [name]).ok()?.1[0]
    }

    /// The same, where it is a string.
    #[inline(never)]
    pub fn string_member(self, name: &str) -> Option<Self> {
        self.member(name).filter(|value| value.kind() == Kind::String)
    }

    /// Whether the member called `name` is the string `text`.
    #[inline(never)]
    pub fn has(self, name: &str, text: &str) -> bool {
        self.member(name).is_some_and(|value| value.is_string(text))
    }

    /// Calls `element` with each element, where this is an array.
    pub fn each_element(self, element: &mut dyn FnMut(Self)) {
        each_element(self.0, element);
    }

    /// Whether this is the string `text` (ASCII without quotes or backslashes), however escaped.
    pub fn is_string(self, text: &str) -> bool {
        self.string_body().is_some_and(|body| Key(body).is(text))
    }
}

/// The key of a member, as written between its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a>(&'a [u8]);

impl<'a> Key<'a> {
    /// The key's text, escapes as sent.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// Whether this is the key `name` (ASCII without quotes or backslashes), however escaped.
    pub fn is(self, name: &str) -> bool {
        self.0 == name.as_bytes() || (self.0.contains(&b'\\') && unescapes_to(self.0, name))
    }
}

/// Validates `text` as one JSON value.
///
/// # Errors
///
/// [`Syntax`] when it is not exactly one.
pub fn value(text: &[u8]) -> Result<Raw<'_>, Syntax> {
    let start = white(text, 0);
    let value = value_end(text, start).and_then(|end| alone(text, start, end.get()));
    value.ok_or(Syntax)
}

/// Validates `text` as one JSON value and, when it is an object, calls `member` with each of its
/// members in order, key as written between its quotes. Gives the value's kind.
///
/// # Errors
///
/// [`Syntax`] when the text is not exactly one JSON value; members before the fault were given.
pub fn object<'a>(text: &'a [u8], mut member: impl FnMut(Key<'a>, Raw<'a>)) -> Result<Kind, Syntax> {
    each_member(text, &mut member).ok_or(Syntax)
}

/// Validates `text` as one JSON value and, when it is an object, finds the members called `names`
/// (ASCII); of several with one name the last counts, as in JS. Gives the value's kind.
///
/// # Errors
///
/// [`Syntax`] when the text is not exactly one JSON value.
// A function for each number of names would do little but copy what it finds.
#[inline(always)]
pub fn members<'a, const N: usize>(
    text: &'a [u8],
    names: [&str; N],
) -> Result<(Kind, [Option<Raw<'a>>; N]), Syntax> {
    let mut found = [None; N];
    let kind = find_members(text, &names, &mut found).ok_or(Syntax)?;
    Ok((kind, found))
}

/// Apart from [`members`] so that there is one of it for all numbers of names.
#[inline(never)]
fn find_members<'a>(text: &'a [u8], names: &[&str], found: &mut [Option<Raw<'a>>]) -> Option<Kind> {
    let mut next = 0;
    each_member(text, &mut |key, value| {
        let is_plain = !key.0.contains(&b'\\');
        // Mostly they stand in the order in which they are asked for.
        for index in (next..names.len()).chain(0..next) {
            if names.get(index).is_some_and(|name| key.0 == name.as_bytes() || (!is_plain && key.is(name))) {
                if let Some(slot) = found.get_mut(index) {
                    *slot = Some(value);
                }
                next = index + 1;
                break;
            }
        }
    })
}

/// Calls `element` with each element of what is valid JSON, if it is an array.
#[inline(never)]
fn each_element<'a>(text: &'a [u8], element: &mut dyn FnMut(Raw<'a>)) -> Option<()> {
    let mut at = white(text, 1);
    while byte(text, 0) == b'[' && byte(text, at) != b']' {
        let end = value_end(text, at)?.get();
        element(Raw(text.get(at..end)?));
        at = white(text, end);
        at = white(text, at + usize::from(byte(text, at) == b','));
    }
    None
}

/// The string that stands between `before` and `after`, if that is all of `text`.
#[inline]
pub fn only_string<'a>(text: &'a [u8], before: &[u8], after: &[u8]) -> Option<Raw<'a>> {
    let value = text.strip_prefix(before)?;
    if byte(value, 0) != b'"' {
        return None;
    }
    let end = string_end(value, 1)?.get();
    let (string, rest) = value.split_at_checked(end)?;
    (rest == after).then_some(Raw(string))
}

#[inline(never)]
fn each_member<'a>(text: &'a [u8], member: &mut dyn FnMut(Key<'a>, Raw<'a>)) -> Option<Kind> {
    let start = white(text, 0);
    if byte(text, start) != b'{' {
        let end = value_end(text, start)?.get();
        return alone(text, start, end).map(Raw::kind);
    }
    let mut at = white(text, start + 1);
    if byte(text, at) != b'}' {
        loop {
            if byte(text, at) != b'"' {
                return None;
            }
            let key_end = string_end(text, at + 1)?.get();
            let value_start = after_colon(text, key_end)?.get();
            let end = value_end(text, value_start)?.get();
            member(Key(text.get(at + 1..key_end - 1)?), Raw(text.get(value_start..end)?));
            at = white(text, end);
            match byte(text, at) {
                b',' => at = white(text, at + 1),
                b'}' => break,
                _ => return None,
            }
        }
    }
    alone(text, start, at + 1).map(|_| Kind::Object)
}

/// The value between two places, if nothing follows it.
fn alone(text: &[u8], start: usize, end: usize) -> Option<Raw<'_>> {
    let is_end = end == text.len() || white(text, end) == text.len();
    if is_end { text.get(start..end).map(Raw) } else { None }
}
