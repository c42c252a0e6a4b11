//! The exported decoders as wasm32, in Node and Chromium: where chunks go, and where what comes of
//! them lies.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use js_sys::{ArrayBuffer, JSON, Reflect, Uint8Array, Uint16Array, Uint32Array};
use runwire::bindings::{StreamDecoder, Target};
use runwire::cloud::Op;
use runwire::sse::Decoder;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Places from the address that `head` gives, as in `pkg/src/engine/memory.ts`.
const ROOM: u32 = 0;
const ROOM_LENGTH: u32 = 1;
const FAILED: u32 = 2;
const WORDS: u32 = 3;
const SHORTS: u32 = 4;
const TEXT: u32 = 5;
const TEXT_LENGTH: u32 = 6;
const TEXT_ASCII: u32 = 7;
const TEXTS: u32 = 8;

fn buffer() -> ArrayBuffer {
    Reflect::get(&wasm_bindgen::memory(), &"buffer".into()).unwrap().unchecked_into()
}

fn number(head: usize, place: u32) -> u32 {
    Uint32Array::new(&buffer()).get_index(head as u32 / 4 + place)
}

// A copy of the JS side's own each time: the memory may grow while it is taken over here.

fn words(address: u32, length: usize) -> Vec<u32> {
    let length = length as u32;
    Uint32Array::new_with_byte_offset_and_length(&buffer(), address, length).slice(0, length).to_vec()
}

fn units(address: u32, length: usize) -> String {
    let length = length as u32;
    let units = Uint16Array::new_with_byte_offset_and_length(&buffer(), address, length).slice(0, length);
    String::from_utf16(&units.to_vec()).unwrap()
}

fn text(head: usize) -> String {
    let (address, length) = (number(head, TEXT), number(head, TEXT_LENGTH));
    let bytes = Uint8Array::new_with_byte_offset_and_length(&buffer(), address, length).slice(0, length);
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Writes a chunk where there is room for it, which `make_room` makes.
fn write(head: usize, chunk: &[u8], make_room: impl FnOnce()) {
    if number(head, ROOM_LENGTH) < chunk.len() as u32 {
        make_room();
    }
    assert!(number(head, ROOM_LENGTH) >= chunk.len() as u32);
    Uint8Array::new(&buffer()).set(&Uint8Array::from(chunk), number(head, ROOM));
}

/// The events of a chunk: name, id and data.
fn events(decoder: &mut StreamDecoder, chunk: &[u8]) -> Vec<[String; 3]> {
    let (head, given) = messages(decoder, chunk);
    let mut words = given.into_iter();
    let (mut short, mut long) = (number(head, SHORTS), number(head, TEXTS));
    let mut events = Vec::new();
    while let Some(word) = words.next() {
        assert_eq!(word & 0xff, Op::Frame as u32);
        events.push([8, 14, 20].map(|shift| match word >> shift & 63 {
            0 => {
                let length = words.next().unwrap();
                let bytes = Uint8Array::new_with_byte_offset_and_length(&buffer(), long, length);
                long += length;
                String::from_utf8_lossy(&bytes.slice(0, length).to_vec()).into_owned()
            }
            length => {
                let text = units(short, length as usize - 1);
                short += 2 * (length - 1);
                text
            }
        }));
    }
    events
}

fn event(name: &str, id: &str, data: &str) -> [String; 3] {
    [name, id, data].map(str::to_owned)
}

/// The words of a chunk's messages, and where the rest lies.
fn messages(decoder: &mut StreamDecoder, chunk: &[u8]) -> (usize, Vec<u32>) {
    let head = decoder.head();
    write(head, chunk, || decoder.room(chunk.len()));
    let count = decoder.push(chunk.len());
    (head, words(number(head, WORDS), count))
}

#[test]
fn a_chunks_events_lie_as_short_strings_and_as_texts() {
    let mut decoder = StreamDecoder::new(Decoder::new(1_000_000), Target::Events);
    let long = "a text that is longer than what goes out as units";
    let chunk =
        format!("id: 1\nevent: \u{e9}\ndata: \u{1f600}b\n\nevent: a\ndata:\n\ndata: {long}\nid: 2\n\n");
    let expected = [event("\u{e9}", "1", "\u{1f600}b"), event("a", "1", ""), event("message", "2", long)];
    assert_eq!(events(&mut decoder, chunk.as_bytes()), expected);
}

#[test]
fn a_chunk_without_an_event_gives_none() {
    let mut decoder = StreamDecoder::new(Decoder::new(1_000_000), Target::Events);
    for chunk in ["data: a\n", "", ": comment\n"] {
        assert_eq!(events(&mut decoder, chunk.as_bytes()), [[""; 3]; 0]);
    }
}

#[test]
fn what_is_too_large_shows_until_the_end_and_what_was_before_it_is_given() {
    let mut decoder = StreamDecoder::new(Decoder::new(4), Target::Events);
    let head = decoder.head();
    let given = events(&mut decoder, b"data: a\n\ndata: 01234\n\ndata: b\n\n");
    assert_eq!(given, [event("message", "", "a")]);
    assert_ne!(number(head, FAILED), 0);
    assert!(events(&mut decoder, b"data: c\n\n").is_empty());
    assert_ne!(number(head, FAILED), 0);
    decoder.end();
    assert_eq!(number(head, FAILED), 0);
    assert_eq!(events(&mut decoder, b"data: d\n\n"), [event("message", "", "d")]);
}

#[test]
fn the_last_id_and_the_reconnection_time_are_told() {
    let mut decoder = StreamDecoder::new(Decoder::new(1_000_000), Target::Events);
    assert_eq!((decoder.last_event_id(), decoder.reconnection_time()), (&b""[..], None));
    events(&mut decoder, b"id: \xff1\ndata: a\n\nretry: 5\n");
    assert_eq!((decoder.last_event_id(), decoder.reconnection_time()), (&b"\xff1"[..], Some(5.0)));
}

#[test]
fn short_strings_lie_as_units_and_longer_ones_as_json_ascii_where_little_is_foreign() {
    let mut decoder = StreamDecoder::new(Decoder::new(1_000_000), Target::Messages);
    let frame = |text: &str| format!("event: thinking\ndata: {{\"text\":\"{text}\"}}\n\n");
    let op = Op::Thinking as u32;
    let long = "a text that is longer than what goes out as units";
    for (short, long, is_ascii) in [
        ("", long.to_owned(), true),
        ("a\\n\\u00e9😀", format!("{long}, with an é"), true),
        ("日本語の文章", "日本語の文章".repeat(8), false),
    ] {
        let (head, given) = messages(&mut decoder, (frame(short) + &frame(&long)).as_bytes());
        let said = JSON::parse(&format!("\"{short}\"")).unwrap().as_string().unwrap();
        let length = said.encode_utf16().count();
        assert_eq!(given, [op | (length as u32 + 1) << 8, op]);
        assert_eq!(units(number(head, SHORTS), length), said);
        let json = text(head);
        assert_eq!((json.is_ascii(), number(head, TEXT_ASCII) != 0), (is_ascii, is_ascii), "{json}");
        let list: js_sys::Array = JSON::parse(&json).unwrap().unchecked_into();
        assert_eq!(list.to_vec(), [JsValue::from(long)]);
    }
    let (head, given) = messages(&mut decoder, frame("b").as_bytes());
    assert_eq!((given.as_slice(), number(head, TEXT_LENGTH)), (&[op | 2 << 8][..], 0));
    assert!(messages(&mut decoder, b"event: heartbeat\ndata: {}\n\n").1.is_empty());
}

#[test]
fn addresses_hold_when_the_memory_has_grown() {
    let mut decoder = StreamDecoder::new(Decoder::new(1_000_000_000), Target::Events);
    let before = buffer().byte_length();
    for exponent in [10, 16, 20, 23] {
        let data = "x".repeat(1 << exponent);
        let given = events(&mut decoder, format!("data: {data}\n\n").as_bytes());
        assert!(given == [event("message", "", &data)], "{exponent}");
    }
    assert!(buffer().byte_length() > before);
}
