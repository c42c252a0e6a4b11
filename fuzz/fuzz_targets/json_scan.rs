//! See `runwire_fuzz::json_scan`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| runwire_fuzz::json_scan::check(data));
