//! A straightforward decoder after the standard's own steps, over the whole text at once.

use super::outcome::{Event, Outcome};

/// WHATWG HTML section 9.2.6, read line by line; own ids as the sink shows them.
pub(crate) fn decode(bytes: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut outcome = Outcome::default();
    let (mut data, mut event, mut id, mut own_id) = (String::new(), String::new(), String::new(), None);
    for line in lines(text) {
        if line.is_empty() {
            outcome.last_event_id.clone_from(&id);
            if !data.is_empty() || own_id.is_some() || !event.is_empty() {
                outcome.own_ids.push(own_id.take());
            }
            if !data.is_empty() {
                data.pop();
                let event = if event.is_empty() { "message".to_owned() } else { event.clone() };
                outcome.events.push(Event { event, data: data.clone(), id: id.clone() });
            }
            data.clear();
            event.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => event = value.to_owned(),
            "data" => {
                data.push_str(value);
                data.push('\n');
            }
            "id" if !value.contains('\0') => {
                id = value.to_owned();
                own_id = Some(id.clone());
            }
            "retry" if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) => {
                outcome.reconnection_time = Some(value.parse().unwrap_or(u64::MAX));
            }
            _ => {}
        }
    }
    outcome
}

/// The lines of a text that have ended.
fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r']) {
        lines.push(&rest[..end]);
        let ending = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[end + ending..];
    }
    lines
}
