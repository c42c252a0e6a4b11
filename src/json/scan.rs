//! Validates JSON and finds the members of an object. No recursion, no allocation but for nesting
//! deeper than 64.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The text is not JSON: what was found at `at` (a byte offset) cannot stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Syntax {
    /// Offset of the offending byte, or the text's length when it ends too early.
    pub at: usize,
}

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
        self.0 == name.as_bytes() || (self.0.len() > name.len() && unescapes_to(self.0, name.as_bytes()))
    }
}

/// Whether a string's body with escapes stands for the ASCII `text`.
#[cold]
#[inline(never)]
fn unescapes_to(body: &[u8], text: &[u8]) -> bool {
    if !body.contains(&b'\\') {
        return false;
    }
    let mut rest = body;
    let mut expected = text.iter().copied();
    while let Some((&byte, after)) = rest.split_first() {
        let (char, after) = match (byte, after.split_first()) {
            (b'\\', Some((b'u', hex))) => {
                let Some((hex, after)) = hex.split_at_checked(4) else { return false };
                let digits = std::str::from_utf8(hex).ok().and_then(|h| u8::from_str_radix(h, 16).ok());
                let Some(char) = digits else { return false };
                (char, after)
            }
            // `\/` is the only other escape of a character that a name or code could have.
            (b'\\', Some((&escaped, after))) => (if escaped == b'/' { b'/' } else { 0 }, after),
            _ => (byte, after),
        };
        if expected.next() != Some(char) {
            return false;
        }
        rest = after;
    }
    expected.next().is_none()
}

/// Validates `text` as one JSON value.
///
/// # Errors
///
/// [`Syntax`] when it is not exactly one.
pub fn value(text: &[u8]) -> Result<Raw<'_>, Syntax> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.white();
    let value = scanner.value()?;
    scanner.end()?;
    Ok(value)
}

/// Validates `text` as one JSON value and, when it is an object, calls `member` with each of its
/// members in order, key as written between its quotes. Gives the value's kind.
///
/// # Errors
///
/// [`Syntax`] when the text is not exactly one JSON value; members before the fault were given.
pub fn object<'a>(text: &'a [u8], mut member: impl FnMut(Key<'a>, Raw<'a>)) -> Result<Kind, Syntax> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.white();
    if scanner.peek() != Some(b'{') {
        let value = scanner.value()?;
        scanner.end()?;
        return Ok(value.kind());
    }
    scanner.at += 1;
    scanner.white();
    if scanner.peek() == Some(b'}') {
        scanner.at += 1;
        scanner.end()?;
        return Ok(Kind::Object);
    }
    loop {
        let key_start = scanner.at + 1;
        scanner.string()?;
        let key = Key(text.get(key_start..scanner.at - 1).unwrap_or_default());
        scanner.white();
        scanner.expect(b':')?;
        scanner.white();
        let value = scanner.value()?;
        member(key, value);
        scanner.white();
        match scanner.peek() {
            Some(b',') => {
                scanner.at += 1;
                scanner.white();
            }
            Some(b'}') => {
                scanner.at += 1;
                scanner.end()?;
                return Ok(Kind::Object);
            }
            _ => return Err(scanner.fault()),
        }
    }
}

/// Validates `text` as one JSON value and, when it is an object, finds the members called `names`
/// (ASCII); of several with one name the last counts, as in JS. Gives the value's kind.
///
/// # Errors
///
/// [`Syntax`] when the text is not exactly one JSON value.
pub fn members<'a, const N: usize>(
    text: &'a [u8],
    names: [&str; N],
) -> Result<(Kind, [Option<Raw<'a>>; N]), Syntax> {
    let mut found = [None; N];
    let kind = find_members(text, &names, &mut found)?;
    Ok((kind, found))
}

/// Apart from [`members`] so that there is one of it for all numbers of names.
#[inline(never)]
fn find_members<'a>(text: &'a [u8], names: &[&str], found: &mut [Option<Raw<'a>>]) -> Result<Kind, Syntax> {
    object(text, |key, value| {
        for (name, slot) in names.iter().zip(&mut *found) {
            if key.is(name) {
                *slot = Some(value);
                break;
            }
        }
    })
}

/// Whether each open bracket is an object's: a bit each, the first 64 in a word.
#[derive(Default)]
struct Nesting {
    word: u64,
    more: Vec<u64>,
    depth: usize,
}

impl Nesting {
    fn open(&mut self, object: bool) {
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.more.push(self.word);
        }
        self.word = self.word << 1 | u64::from(object);
        self.depth += 1;
    }

    /// Closes the innermost; says whether one is left and whether that is an object.
    fn close(&mut self) -> Option<bool> {
        self.depth = self.depth.saturating_sub(1);
        self.word >>= 1;
        if self.depth == 0 {
            return None;
        }
        if self.depth.is_multiple_of(64) {
            self.word = self.more.pop().unwrap_or_default();
        }
        Some(self.in_object())
    }

    fn in_object(&self) -> bool {
        self.word & 1 == 1
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn fault(&self) -> Syntax {
        Syntax { at: self.at.min(self.text.len()) }
    }

    fn white(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Syntax> {
        if self.peek() != Some(byte) {
            return Err(self.fault());
        }
        self.at += 1;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Syntax> {
        self.white();
        if self.at == self.text.len() { Ok(()) } else { Err(self.fault()) }
    }

    /// Scans the value that begins here.
    fn value(&mut self) -> Result<Raw<'a>, Syntax> {
        let start = self.at;
        if matches!(self.peek(), Some(b'{' | b'[')) {
            self.nested()?;
        } else {
            self.scalar()?;
        }
        Ok(Raw(self.text.get(start..self.at).unwrap_or_default()))
    }

    fn scalar(&mut self) -> Result<(), Syntax> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.fault()),
        }
    }

    /// Scans an object or array with everything in it.
    fn nested(&mut self) -> Result<(), Syntax> {
        let mut nesting = Nesting::default();
        loop {
            // A value or, right after an opening bracket, that bracket's closing one.
            let mut closes = false;
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    nesting.open(true);
                    self.white();
                    if self.peek() == Some(b'}') {
                        closes = true;
                    } else {
                        self.key()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    nesting.open(false);
                    self.white();
                    if self.peek() == Some(b']') {
                        closes = true;
                    } else {
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            loop {
                if closes {
                    self.at += 1;
                    if nesting.close().is_none() {
                        return Ok(());
                    }
                }
                self.white();
                match (self.peek(), nesting.in_object()) {
                    (Some(b','), in_object) => {
                        self.at += 1;
                        self.white();
                        if in_object {
                            self.key()?;
                        }
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => closes = true,
                    _ => return Err(self.fault()),
                }
            }
        }
    }

    /// Scans `"key" :` and the white space after it.
    fn key(&mut self) -> Result<(), Syntax> {
        self.string()?;
        self.white();
        self.expect(b':')?;
        self.white();
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Syntax> {
        for byte in word {
            self.expect(*byte)?;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Syntax> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Syntax> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.fault());
        }
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Syntax> {
        self.expect(b'"')?;
        loop {
            self.plain();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape()?;
                }
                _ => return Err(self.fault()),
            }
        }
    }

    /// Skips bytes of a string that are neither quote, backslash nor control character.
    fn plain(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let (words, tail) = rest.as_chunks::<8>();
        for word in words {
            let word = u64::from_le_bytes(*word);
            let quote = word ^ (ONES * b'"' as u64);
            let backslash = word ^ (ONES * b'\\' as u64);
            let special = (quote.wrapping_sub(ONES) & !quote)
                | (backslash.wrapping_sub(ONES) & !backslash)
                | (word.wrapping_sub(ONES * 0x20) & !word);
            let special = special & HIGHS;
            if special != 0 {
                self.at += special.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
        }
        let special = |b: &u8| matches!(*b, b'"' | b'\\' | 0..0x20);
        self.at += tail.iter().position(special).unwrap_or(tail.len());
    }

    fn escape(&mut self) -> Result<(), Syntax> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|b| b.is_ascii_hexdigit()) {
                        return Err(self.fault());
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.fault()),
        }
        Ok(())
    }
}
