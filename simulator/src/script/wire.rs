//! Recorded event-stream text as a script: each block is sent as it was written, and can still be found by its id.

use super::{Entry, Id};

/// Blocks end at an empty line (`\n` line ends only, as recordings have them). A last block without its empty line
/// is sent too, unfinished. `delay` passes before each block.
pub(crate) fn entries(text: &str, delay: f64) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find("\n\n").map_or(rest.len(), |at| at + 2);
        let (block, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        entries.push(entry(block, delay * entries.len() as f64));
        rest = after;
    }
    entries
}

fn entry(block: &str, at: f64) -> Entry {
    let (mut event, mut id, mut data) = (String::new(), Id::None, Vec::new());
    for line in block.trim_start_matches('\u{feff}').lines() {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut event),
            "id" if value.is_empty() => id = Id::None,
            "id" => id = Id::Fixed(value.to_owned()),
            "data" => data.push(value),
            _ => {}
        }
    }
    Entry { at, event, id, data: data.join("\n"), raw: Some(block.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_text_and_give_up_their_fields() {
        let all = entries("id: 1-1\nevent: assistant\ndata: {\"a\":\ndata:1}\n\n: hi\n\nevent: done", 5.0);
        let [first, comment, last] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(first.raw.as_deref(), Some("id: 1-1\nevent: assistant\ndata: {\"a\":\ndata:1}\n\n"));
        assert_eq!((first.event.as_str(), &first.id), ("assistant", &Id::Fixed("1-1".into())));
        assert_eq!(first.data, "{\"a\":\n1}");
        assert_eq!((comment.at, comment.event.as_str()), (5.0, ""));
        assert_eq!((last.at, last.raw.as_deref()), (10.0, Some("event: done")));
    }
}
