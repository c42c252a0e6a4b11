//! The exported decoders as wasm32, in Node and Chromium: what they hand to the facade, and when.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, JSON, Object, Reflect, Uint8Array, Uint32Array};
use runwire::bindings::{EventStreamDecoder, Host, MessageDecoder};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;

/// `table` in the call of `events`: the name or id is that of the event before.
const SAME: u32 = u32::MAX;

fn host(method: &str, function: &JsValue) -> Host {
    let host = Object::new();
    Reflect::set(&host, &method.into(), function).unwrap();
    host.unchecked_into()
}

/// A host whose `events` gives an array of text and table.
fn reading_host() -> Host {
    let body = "
        const text = new TextDecoder('utf-8', { ignoreBOM: true });
        return (address, length, table, entries) => [
            text.decode(new Uint8Array(memory.buffer, address, length)),
            new Uint32Array(memory.buffer, table, entries).slice(),
        ];";
    let make = Function::new_with_args("memory", body);
    host("events", &make.call1(&JsValue::NULL, &wasm_bindgen::memory()).unwrap())
}

/// A host whose `batch` gives an array of the text and whether it is ASCII.
fn parsing_host() -> Host {
    let body = "
        return (address, length, ascii) =>
            [new TextDecoder().decode(new Uint8Array(memory.buffer, address, length)), ascii];";
    let make = Function::new_with_args("memory", body);
    host("batch", &make.call1(&JsValue::NULL, &wasm_bindgen::memory()).unwrap())
}

fn text_and_table(given: &JsValue) -> (String, Vec<u32>) {
    let text = Reflect::get_u32(given, 0).unwrap().as_string().unwrap();
    let table: Uint32Array = Reflect::get_u32(given, 1).unwrap().unchecked_into();
    (text, table.to_vec())
}

#[test]
fn a_chunks_events_leave_as_one_text_and_a_table_in_utf_16_units() {
    let decoder = EventStreamDecoder::new(1e6, "", reading_host());
    let chunk = "id: 1\nevent: é\ndata: 😀b\n\nevent: é\ndata:\n\ndata: c\nid: 2\n\n";
    let (text, table) = text_and_table(&decoder.push(chunk.as_bytes()).unwrap());
    assert_eq!(text, "é1😀bmessage2c");
    // Of each event: name, id, data.
    assert_eq!(table, [1, 1, 3, SAME, SAME, 0, 7, 1, 1]);
}

#[test]
fn nothing_is_called_for_a_chunk_without_an_event() {
    let called = Function::new_no_args("throw new Error('called')");
    let decoder = EventStreamDecoder::new(1e6, "", host("events", &called));
    assert!(decoder.push(b"data: a\n").unwrap().is_undefined());
    assert!(decoder.push(b"").unwrap().is_undefined());
    assert!(decoder.push(b": comment\n").unwrap().is_undefined());
}

#[test]
fn names_and_ids_go_on_to_be_the_same_over_chunks() {
    let decoder = EventStreamDecoder::new(1e6, "7", reading_host());
    let (text, table) = text_and_table(&decoder.push(b"data: a\n\n").unwrap());
    assert_eq!((text.as_str(), table.as_slice()), ("message7a", &[7, 1, 1][..]));
    let (text, table) = text_and_table(&decoder.push(b"data: b\n\nid: 8\ndata: c\n\n").unwrap());
    assert_eq!((text.as_str(), table.as_slice()), ("b8c", &[SAME, SAME, 1, SAME, 1, 1][..]));
    assert_eq!(decoder.last_event_id(), "8");
}

#[test]
fn what_is_too_large_shows_until_the_end_and_what_was_before_it_is_given() {
    let decoder = EventStreamDecoder::new(4.0, "", reading_host());
    let (text, _) = text_and_table(&decoder.push(b"data: a\n\ndata: 01234\n\ndata: b\n\n").unwrap());
    assert_eq!(text, "messagea");
    assert!(decoder.failed());
    assert!(decoder.push(b"data: c\n\n").unwrap().is_undefined());
    decoder.end();
    assert!(!decoder.failed());
    assert!(!decoder.push(b"data: d\n\n").unwrap().is_undefined());
}

#[test]
fn what_the_host_throws_is_thrown_on_and_the_decoder_goes_on() {
    let throws = Function::new_no_args("throw new RangeError('from the host')");
    let decoder = EventStreamDecoder::new(1e6, "", host("events", &throws));
    for _ in 0..2 {
        let thrown = decoder.push(b"id: 1\ndata: a\n\nretry: 5\n").unwrap_err();
        assert!(thrown.is_instance_of::<js_sys::RangeError>());
    }
    assert_eq!(decoder.last_event_id(), "1");
    assert_eq!(decoder.reconnection_time(), Some(5.0));
}

#[test]
fn the_host_may_call_the_decoder_that_calls_it() {
    type Shared = Rc<RefCell<Option<Rc<MessageDecoder>>>>;
    let shared = Shared::default();
    let calls = Rc::new(Cell::new(0));
    let (inner, counted) = (shared.clone(), calls.clone());
    let batch = Closure::<dyn Fn()>::new(move || {
        counted.set(counted.get() + 1);
        let decoder = inner.borrow().clone().unwrap();
        if counted.get() == 1 {
            decoder.push(b"event: thinking\ndata: {}\n\n").unwrap();
            decoder.end();
        }
    });
    let decoder = Rc::new(MessageDecoder::new(1e6, host("batch", batch.as_ref())));
    *shared.borrow_mut() = Some(decoder.clone());
    decoder.push(b"event: thinking\ndata: {}\n\n").unwrap();
    decoder.push(b"event: thinking\ndata: {}\n\n").unwrap();
    assert_eq!(calls.get(), 3);
    shared.borrow_mut().take();
}

#[test]
fn a_chunks_messages_leave_as_one_json_array_ascii_where_little_is_foreign() {
    let decoder = MessageDecoder::new(1e6, parsing_host());
    let frame = |text: &str| format!("event: thinking\ndata: {{\"text\":\"{text}\"}}\n\n");
    for (text, is_ascii) in
        [("plain", true), ("mostly plain text but for an é", true), ("日本語の文章", false)]
    {
        let given = decoder.push((frame(text) + &frame("b")).as_bytes()).unwrap();
        let json = Reflect::get_u32(&given, 0).unwrap().as_string().unwrap();
        assert_eq!(Reflect::get_u32(&given, 1).unwrap().as_bool(), Some(is_ascii), "{text}");
        assert_eq!(json.is_ascii(), is_ascii, "{text}");
        let list: js_sys::Array = JSON::parse(&json).unwrap().unchecked_into();
        let expected = [JsValue::from(2), text.into(), 2.into(), "b".into()];
        assert_eq!(list.to_vec(), expected);
    }
    assert!(decoder.push(b"event: heartbeat\ndata: {}\n\n").unwrap().is_undefined());
}

#[test]
fn addresses_hold_when_the_memory_has_grown() {
    let decoder = EventStreamDecoder::new(1e9, "", reading_host());
    let pages = || -> u32 { buffer_length() / 65_536 };
    let before = pages();
    for exponent in [10, 16, 20, 23] {
        let data = "x".repeat(1 << exponent);
        let chunk = format!("data: {data}\n\n");
        let (text, table) = text_and_table(&decoder.push(chunk.as_bytes()).unwrap());
        assert!(text.ends_with(&data), "{exponent}");
        assert_eq!(table.last(), Some(&(1 << exponent)));
    }
    assert!(pages() > before);
}

fn buffer_length() -> u32 {
    let buffer = Reflect::get(&wasm_bindgen::memory(), &"buffer".into()).unwrap();
    Uint8Array::new(&buffer).length()
}
