//! See `runwire_fuzz::messages`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| runwire_fuzz::messages::check(data));
