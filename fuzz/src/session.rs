//! Any bytes, as messages of a session: what goes out is a JSON array, and the same however the bytes are cut.

use runwire::json::Batch;
use runwire::kit::Session;
use runwire::sse::{Block, Decoder};
use serde_json::value::RawValue;

/// The input is a chunk's length, and then lines or an event stream.
pub fn check(input: &[u8]) {
    let Some((&size, bytes)) = input.split_first() else { return };
    for decoder in [|| Decoder::of_lines(usize::MAX), || Decoder::new(usize::MAX)] {
        let whole = batch_of(decoder(), [bytes]);
        assert_eq!(batch_of(decoder(), bytes.chunks(usize::from(size).max(1))), whole);
    }
}

/// The words, short strings and values of the events.
fn batch_of<'a>(
    mut decoder: Decoder,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<u32>, Vec<u16>, Vec<String>) {
    let (mut session, mut out) = (Session::default(), Batch::default());
    for chunk in chunks {
        let result = decoder.push(chunk, &mut |block: Block<'_>| session.block(&block, &mut out));
        assert_eq!(result, Ok(()), "there is no limit");
    }
    decoder.finish(&mut |block: Block<'_>| session.block(&block, &mut out));
    let parts = out.finish();
    let text = String::from_utf8_lossy(parts.json.bytes);
    let values: Vec<&RawValue> =
        if text.is_empty() { Vec::new() } else { serde_json::from_str(&text).unwrap() };
    let values = values.into_iter().map(|value| value.get().to_owned()).collect();
    (parts.words.to_vec(), parts.shorts.to_vec(), values)
}
