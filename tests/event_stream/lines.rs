//! Lines that are data, each of them a block (NDJSON).

use runwire::sse::{Block, Decoder, EventTooLarge};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn lines<'a>(
    limit: usize,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<Vec<u8>>, Result<(), EventTooLarge>) {
    let mut decoder = Decoder::of_lines(limit);
    let mut lines = Vec::new();
    let mut sink = |block: Block<'_>| {
        assert_eq!((block.event, block.own_id, block.last_event_id), (&b""[..], None, &b""[..]));
        lines.push(block.data.expect("a line is data").to_vec());
    };
    let mut result = Ok(());
    for chunk in chunks {
        result = decoder.push(chunk, &mut sink);
        if result.is_err() {
            break;
        }
    }
    decoder.finish(&mut sink);
    (lines, result)
}

/// Blank lines left out.
fn plainly(bytes: &[u8]) -> Vec<Vec<u8>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
    lines.filter(|line| !line.iter().all(u8::is_ascii_whitespace)).collect()
}

#[test]
fn lines_are_the_same_at_every_cut() {
    for text in [
        "",
        "\n",
        "{\"a\":1}\n{\"b\":2}\n",
        "{\"a\":1}\r\n\r\n \t\n{\"b\":\"é\u{2028}\u{85}\u{c}\"}",
        "\u{feff}{\"a\":\r1}\n\u{feff}{\"b\":2}\ndata: 5\n: x\nid: 7\nretry: 5\n",
        "\0\n\u{b}a\n",
    ] {
        let bytes = text.as_bytes();
        let expected = plainly(bytes);
        for length in 1..=bytes.len().max(1) {
            assert_eq!(lines(usize::MAX, bytes.chunks(length)).0, expected, "{text:?} in {length}");
        }
        for at in 0..=bytes.len() {
            let (before, after) = bytes.split_at(at);
            assert_eq!(lines(usize::MAX, [before, &b""[..], after]).0, expected, "{text:?} at {at}");
        }
    }
}

#[test]
fn a_line_of_exactly_the_limit_passes_and_one_byte_more_fails_in_every_chunking() {
    for length in 1..30 {
        let fits = format!("a\n{}\nb", "x".repeat(20));
        let (found, result) = lines(20, fits.as_bytes().chunks(length));
        assert_eq!((found.len(), result.is_ok()), (3, true), "{length}");
        let crosses = format!("a\n{}\nb", "x".repeat(21));
        let (found, result) = lines(20, crosses.as_bytes().chunks(length));
        assert_eq!((found, result.unwrap_err().limit), (vec![b"a".to_vec()], 20), "{length}");
    }
}

#[test]
fn a_large_line_is_whole_whatever_pieces_it_was_held_in() {
    const MIB: usize = 1024 * 1024;
    for (length, chunk) in [(MIB - 1, 4096), (MIB, 4096), (MIB + 1, 1000), (5 * MIB, 65_537)] {
        let line: Vec<u8> = (0..length).map(|at| b'a' + (at % 23) as u8).collect();
        let stream = [&line[..], b"\n", &line, b"\nb\n"].concat();
        let (found, result) = lines(length, stream.chunks(chunk));
        assert!(result.is_ok() && found == [&line[..], &line, b"b"], "{length} in chunks of {chunk}");
        assert!(lines(length - 1, stream.chunks(chunk)).1.is_err());
    }
}

#[test]
fn what_is_unfinished_is_discarded_by_end() {
    let mut decoder = Decoder::of_lines(100);
    let mut count = 0;
    let mut sink = |_: Block<'_>| count += 1;
    assert!(decoder.push(b"{\"a\":", &mut sink).is_ok());
    decoder.end();
    assert!(decoder.push(b"{}\n", &mut sink).is_ok());
    decoder.finish(&mut sink);
    decoder.finish(&mut sink);
    assert_eq!(count, 1);
}
