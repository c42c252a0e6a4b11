//! See `runwire_fuzz::session`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| runwire_fuzz::session::check(data));
