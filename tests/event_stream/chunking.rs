//! Any bytes, any chunking: the same events as the reference decoder.

use proptest::prelude::*;

use super::{decode, reference};

/// Bytes that look like an event stream often enough to reach the decoder's corners.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(b"data".to_vec()),
        3 => Just(b"data: ".to_vec()),
        2 => Just(b"id: ".to_vec()),
        1 => Just(b"id".to_vec()),
        2 => Just(b"event:".to_vec()),
        1 => Just(b"retry: 12".to_vec()),
        1 => Just(b": comment".to_vec()),
        4 => Just(b"\n".to_vec()),
        3 => Just(b"\r".to_vec()),
        3 => Just(b"\r\n".to_vec()),
        3 => Just(b"\n\n".to_vec()),
        1 => Just(b":".to_vec()),
        1 => Just(b" ".to_vec()),
        1 => Just(b"\0".to_vec()),
        1 => Just(b"\xef\xbb\xbf".to_vec()),
        1 => Just("é€😀\u{2028}".as_bytes().to_vec()),
        2 => prop::collection::vec(any::<u8>(), 0..4),
        1 => prop::collection::vec(0x80..=0xff_u8, 1..4),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn chunks<'a>(bytes: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut chunks = Vec::new();
    let mut rest = bytes;
    for &length in lengths {
        let (chunk, after) = rest.split_at(length.min(rest.len()));
        chunks.push(chunk);
        rest = after;
    }
    chunks.push(rest);
    chunks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes_in_any_chunking_give_what_the_reference_gives(
        bytes in streams(),
        lengths in prop::collection::vec(0..9_usize, 0..40),
    ) {
        let expected = reference::decode(&bytes);
        prop_assert_eq!(&decode([bytes.as_slice()]), &expected);
        prop_assert_eq!(&decode(chunks(&bytes, &lengths)), &expected);
    }

    #[test]
    fn random_bytes_give_what_the_reference_gives(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        length in 1..20_usize,
    ) {
        prop_assert_eq!(decode(bytes.chunks(length)), reference::decode(&bytes));
    }
}

#[test]
fn a_new_connection_starts_afresh_but_for_the_id_and_the_reconnection_time() {
    use runwire::sse::{Block, Decoder};
    let mut decoder = Decoder::new(usize::MAX);
    let mut seen = Vec::new();
    let mut sink = |block: Block<'_>| {
        seen.push((block.text().unwrap_or_default().into_owned(), block.last_event_id.to_vec()));
    };
    decoder.push(b"id: 7\nretry: 40\ndata: a\n\nid: 8\nevent: x\ndata: cut o", &mut sink).unwrap();
    decoder.end();
    decoder.push(b"\xef\xbb\xbfdata: b\n\n", &mut sink).unwrap();
    assert_eq!(seen, [("a".to_owned(), b"7".to_vec()), ("b".to_owned(), b"7".to_vec())]);
    assert_eq!(decoder.reconnection_time(), Some(40));
}
