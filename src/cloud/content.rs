//! A content frame as resuming sees it: which channel it belongs to, and how much of it there is.

use super::frame::{Frame, FrameName};
use crate::json::{self, Body, Kind, Raw};

/// The channel a frame belongs to, and whether it is a piece of running text there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content<'a> {
    /// The event's name, or the type of an update as JSON.
    pub channel: &'a [u8],
    /// Whether the channel is one of updates.
    pub update: bool,
    /// The text that the frame adds, escapes as sent, when that is all that the frame holds: such
    /// text may be divided differently when it is replayed.
    pub text: Option<Body<'a>>,
}

/// What is left of a frame of running text when the start of the text is taken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rest<'a> {
    content: Content<'a>,
    text: Body<'a>,
}

impl Rest<'_> {
    /// The data of a frame that adds just this.
    pub fn as_data(&self) -> Vec<u8> {
        let (kind, comma): (&[u8], &[u8]) =
            if self.content.update { (self.content.channel, b",") } else { (b"", b"") };
        let name: &[u8] = if self.content.update { br#""type":"# } else { b"" };
        [b"{", name, kind, comma, br#""text":""#, self.text.0, br#""}"#].concat()
    }
}

impl FrameName {
    /// Whether frames of this name are the run's content, not a connection's.
    pub fn is_content(self, has_id: bool) -> bool {
        match self {
            Self::Status | Self::Heartbeat | Self::Error | Self::Done => false,
            Self::Unknown => has_id,
            _ => true,
        }
    }
}

impl<'a> Content<'a> {
    /// What a content frame adds.
    pub fn of(frame: &Frame<'a>) -> Self {
        let whole = Self { channel: frame.event_name(), update: false, text: None };
        match frame.name {
            FrameName::Assistant | FrameName::Thinking => {
                let text = match frame.only_text() {
                    Some(text) => text.string_body().filter(|body| !body.is_empty()).map(Body),
                    None => only_text(frame.data, 0),
                };
                Self { text, ..whole }
            }
            FrameName::InteractionUpdate => {
                let Some(kind) = update_type(frame.data) else { return Self { update: true, ..whole } };
                let is_delta = matches!(kind, br#""text-delta""# | br#""thinking-delta""#);
                let text = if is_delta { only_text(frame.data, 1) } else { None };
                Self { channel: kind, update: true, text }
            }
            _ => whole,
        }
    }

    /// What is left of a frame of text after the first `skipped` bytes of it.
    pub fn after(self, skipped: usize) -> Option<Rest<'a>> {
        Some(Rest { content: self, text: self.text?.after(skipped) })
    }
}

/// The type of an update as JSON. Where it stands first, as it does, nothing after it is looked at:
/// an update can be large.
fn update_type(data: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = data.strip_prefix(br#"{"type":"#)
        && rest.first() == Some(&b'"')
        && let Some(end) = rest.iter().skip(1).position(|byte| matches!(byte, b'"' | b'\\'))
        && rest.get(end + 1) == Some(&b'"')
    {
        return rest.get(..end + 2);
    }
    let (_, [kind]) = json::members(data, ["type"]).ok()?;
    kind.map(Raw::bytes)
}

/// The text of data that holds nothing but a non-empty `text` and `company` other members.
fn only_text(data: &[u8], company: usize) -> Option<Body<'_>> {
    let mut text: Option<Raw<'_>> = None;
    let mut others = 0;
    let kind = json::object(data, |key, value| {
        if text.is_none() && key.is("text") {
            text = Some(value);
        } else {
            others += 1;
        }
    });
    let body = text?.string_body()?;
    (kind == Ok(Kind::Object) && others == company && !body.is_empty()).then_some(Body(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame<'a>(event: &'a str, data: &'a str) -> Frame<'a> {
        Frame::new(event.as_bytes(), None, data.as_bytes())
    }

    fn text_of(event: &str, data: &str) -> Option<String> {
        Content::of(&frame(event, data)).text.map(|text| {
            let mut bytes = Vec::new();
            text.each_piece(|piece| bytes.extend_from_slice(piece));
            String::from_utf8(bytes).unwrap()
        })
    }

    #[test]
    fn text_alone_is_running_text_and_with_company_it_is_a_frame() {
        let texts = [
            ("assistant", r#"{"text":"a\n\u00e9\ud83d\ude00b"}"#, Some("a\né😀b")),
            ("thinking", r#"{ "text" : "x" }"#, Some("x")),
            ("assistant", r#"{"text":""}"#, None),
            ("assistant", r#"{"text":"a","more":1}"#, None),
            ("assistant", r#"{"text":null}"#, None),
            ("assistant", "not json", None),
            ("interaction_update", r#"{"type":"text-delta","text":"a"}"#, Some("a")),
            ("interaction_update", r#"{"type":"thinking-delta","text":"a"}"#, Some("a")),
            ("interaction_update", r#"{"type":"summary","text":"a"}"#, None),
            ("interaction_update", r#"{ "text" : "a", "type" : "text-delta" }"#, Some("a")),
            ("interaction_update", r#"{"type":"text-delta"#, None),
            ("interaction_update", r#"{"type":"text-delta","text":"a","more":1}"#, None),
            ("tool_call", r#"{"text":"a"}"#, None),
        ];
        for (event, data, expected) in texts {
            assert_eq!(text_of(event, data).as_deref(), expected, "{event} {data}");
        }
    }

    #[test]
    fn updates_of_a_type_are_a_channel() {
        let types = [
            (r#"{"type":"step-started","data":[1,2]}"#, r#""step-started""#),
            (r#"{"data":[1,2],"type":"step-started"}"#, r#""step-started""#),
            (r#"{"type":"a\"b"}"#, r#""a\"b""#),
            (r#"{"type":7}"#, "7"),
            (r#"{"type":""}"#, r#""""#),
            ("{}", "interaction_update"),
            (r#"{"type":"#, "interaction_update"),
        ];
        for (data, channel) in types {
            let content = Content::of(&frame("interaction_update", data));
            assert_eq!((content.channel, content.update), (channel.as_bytes(), true), "{data}");
        }
    }
}
