//! The exported decoders as wasm32, in Node and Chromium: where chunks go, and where what comes of
//! them lies.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use js_sys::{ArrayBuffer, JSON, Reflect, Uint8Array, Uint16Array, Uint32Array};
use runwire::bindings::{EventStreamDecoder, MessageDecoder};
use runwire::cloud::Op;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;

/// In the table of events: the name or id is that of the event before.
const SAME: u32 = u32::MAX;

/// Places from the address that `head` gives, as in `pkg/src/engine/memory.ts`.
const ROOM: u32 = 0;
const ROOM_LENGTH: u32 = 1;
const FAILED: u32 = 2;
const WORDS: u32 = 3;
const SHORTS: u32 = 4;
const TEXT: u32 = 5;
const TEXT_LENGTH: u32 = 6;
const TEXT_ASCII: u32 = 7;

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

/// The text and the table of a chunk's events.
fn events(decoder: &mut EventStreamDecoder, chunk: &[u8]) -> (String, Vec<u32>) {
    let head = decoder.head();
    write(head, chunk, || decoder.room(chunk.len()));
    let count = decoder.push(chunk.len());
    (text(head), words(number(head, WORDS), count))
}

/// The words of a chunk's messages, and where the rest lies.
fn messages(decoder: &mut MessageDecoder, chunk: &[u8]) -> (usize, Vec<u32>) {
    let head = decoder.head();
    write(head, chunk, || decoder.room(chunk.len()));
    let count = decoder.push(chunk.len());
    (head, words(number(head, WORDS), count))
}

#[test]
fn a_chunks_events_lie_as_one_text_and_a_table_in_utf_16_units() {
    let mut decoder = EventStreamDecoder::new(1e6, "");
    let chunk = "id: 1\nevent: é\ndata: 😀b\n\nevent: é\ndata:\n\ndata: c\nid: 2\n\n";
    let (text, table) = events(&mut decoder, chunk.as_bytes());
    assert_eq!(text, "é1😀bmessage2c");
    // Of each event: name, id, data.
    assert_eq!(table, [1, 1, 3, SAME, SAME, 0, 7, 1, 1]);
}

#[test]
fn a_chunk_without_an_event_gives_an_empty_table() {
    let mut decoder = EventStreamDecoder::new(1e6, "");
    for chunk in ["data: a\n", "", ": comment\n"] {
        assert_eq!(events(&mut decoder, chunk.as_bytes()), (String::new(), Vec::new()));
    }
}

#[test]
fn names_and_ids_go_on_to_be_the_same_over_chunks() {
    let mut decoder = EventStreamDecoder::new(1e6, "7");
    let (text, table) = events(&mut decoder, b"data: a\n\n");
    assert_eq!((text.as_str(), table.as_slice()), ("message7a", &[7, 1, 1][..]));
    let (text, table) = events(&mut decoder, b"data: b\n\nid: 8\ndata: c\n\n");
    assert_eq!((text.as_str(), table.as_slice()), ("b8c", &[SAME, SAME, 1, SAME, 1, 1][..]));
    assert_eq!(decoder.last_event_id(), "8");
}

#[test]
fn what_is_too_large_shows_until_the_end_and_what_was_before_it_is_given() {
    let mut decoder = EventStreamDecoder::new(4.0, "");
    let head = decoder.head();
    let (text, _) = events(&mut decoder, b"data: a\n\ndata: 01234\n\ndata: b\n\n");
    assert_eq!(text, "messagea");
    assert_ne!(number(head, FAILED), 0);
    assert_eq!(events(&mut decoder, b"data: c\n\n"), (String::new(), Vec::new()));
    assert_ne!(number(head, FAILED), 0);
    decoder.end();
    assert_eq!(number(head, FAILED), 0);
    assert_eq!(events(&mut decoder, b"data: d\n\n").0, "d");
}

#[test]
fn the_last_id_and_the_reconnection_time_are_told() {
    let mut decoder = EventStreamDecoder::new(1e6, "");
    assert_eq!((decoder.last_event_id().as_str(), decoder.reconnection_time()), ("", None));
    events(&mut decoder, b"id: \xff1\ndata: a\n\nretry: 5\n");
    assert_eq!((decoder.last_event_id().as_str(), decoder.reconnection_time()), ("\u{fffd}1", Some(5.0)));
}

#[test]
fn short_strings_lie_as_units_and_longer_ones_as_json_ascii_where_little_is_foreign() {
    let mut decoder = MessageDecoder::new(1e6);
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
    let mut decoder = EventStreamDecoder::new(1e9, "");
    let before = buffer().byte_length();
    for exponent in [10, 16, 20, 23] {
        let data = "x".repeat(1 << exponent);
        let (text, table) = events(&mut decoder, format!("data: {data}\n\n").as_bytes());
        assert!(text.ends_with(&data), "{exponent}");
        assert_eq!(table.last(), Some(&(1 << exponent)));
    }
    assert!(buffer().byte_length() > before);
}
