//! See `runwire_fuzz::event_stream`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| runwire_fuzz::event_stream::check(data));
