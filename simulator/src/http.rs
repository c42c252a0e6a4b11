//! Requests and replies as values: what a socket, a `fetch` or a test hands to the simulator.

/// One request as it arrived.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET`, `POST`, … in capitals.
    pub method: String,
    /// Path and query, as sent (`/v1/agents?limit=5`).
    pub path: String,
    /// Header names in any case. A value holds one character per byte, as `Headers` and Node give it.
    pub headers: Vec<(String, String)>,
    /// The body's bytes; empty when there was none.
    pub body: Vec<u8>,
}

impl Request {
    /// A `GET` without headers.
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: "GET".into(), path: path.into(), ..Self::default() }
    }

    /// A `POST` with a JSON body; an empty text is no body at all.
    pub fn post(path: impl Into<String>, body: impl Into<String>) -> Self {
        let body = body.into().into_bytes();
        let mut request = Self { method: "POST".into(), path: path.into(), body, ..Self::default() };
        if !request.body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        request
    }

    /// The same request with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same request with `Authorization: Bearer <key>`.
    #[must_use]
    pub fn bearer(self, key: &str) -> Self {
        let value = format!("Bearer {key}");
        self.header("authorization", &value)
    }

    /// The value of a header, whatever the case of its name.
    pub fn header_value(&self, name: &str) -> Option<&str> {
        find_header(&self.headers, name)
    }

    pub(crate) fn path_only(&self) -> &str {
        self.path.split_once('?').map_or(self.path.as_str(), |(path, _)| path)
    }

    /// The decoded value of the first query parameter of that name.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        let (_, query) = self.path.split_once('?')?;
        query.split('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (percent_decode(key) == name).then(|| percent_decode(&value.replace('+', " ")))
        })
    }
}

/// What becomes of a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// An answer, whose head arrives at `at` (not before the request's own time).
    Response {
        /// Simulated time in milliseconds.
        at: f64,
        /// The answer.
        response: Response,
    },
    /// The connection dies at `at` without an answer: a network error.
    Reset {
        /// Simulated time in milliseconds.
        at: f64,
    },
    /// The connection stays open and nothing ever comes.
    Never,
}

/// The head of an answer, with its body or the way to get at it.
#[derive(Clone, Debug)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Header names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
}

/// The body of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// All of it.
    Full(Vec<u8>),
    /// An event stream: ask [`Simulator::poll_stream`](crate::Simulator::poll_stream) for its bytes.
    Stream(StreamId),
}

/// Names one connection to a run's stream.
pub type StreamId = u64;

impl Response {
    pub(crate) fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::Full(Vec::new()) }
    }

    pub(crate) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::new(status).with("content-type", "application/json").body(value.to_string().into_bytes())
    }

    pub(crate) fn body(mut self, bytes: Vec<u8>) -> Self {
        self.body = Body::Full(bytes);
        self
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The value of a header, whatever the case of its name.
    pub fn header_value(&self, name: &str) -> Option<&str> {
        find_header(&self.headers, name)
    }
}

fn find_header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Undoes percent-encoding; what is not valid stays as it is.
pub(crate) fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped =
            (first == b'%').then(|| tail.split_at_checked(2)).flatten().and_then(|(digits, after)| {
                let byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
                Some((byte, after))
            });
        let (byte, after) = escaped.unwrap_or((first, tail));
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A header value given as one character per byte, read as the UTF-8 that its sender meant.
pub(crate) fn header_text(value: &str) -> String {
    let bytes: Option<Vec<u8>> = value.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_and_headers_are_decoded() {
        let request = Request::get("/v1/x?path=a%2Fb+c&limit=5&bad=%zz&cut=%4").header("X-Y", "1");
        assert_eq!(request.query("path").as_deref(), Some("a/b c"));
        assert_eq!(request.query("bad").as_deref(), Some("%zz"));
        assert_eq!(request.query("cut").as_deref(), Some("%4"));
        assert_eq!(request.query("none"), None);
        assert_eq!(request.header_value("x-y"), Some("1"));
        assert_eq!(header_text("\u{c3}\u{a9}-1"), "é-1");
        assert_eq!(header_text("日本"), "日本");
    }
}
