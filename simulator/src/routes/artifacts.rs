//! Files that an agent leaves behind, and the object store that holds them: another origin, presigned URLs.

use super::Answer;
use super::agents::find;
use crate::endpoint::ARTIFACT_PREFIX;
use crate::error::ApiError;
use crate::http::{Request, Response, percent_decode};
use crate::json::json;
use crate::rng::mix;
use crate::run::RunState;
use crate::simulator::Simulator;
use crate::time::iso;
use serde_json::Value;

/// How long a presigned URL is good for.
const URL_MS: f64 = 15.0 * 60_000.0;
/// The size of the binary one, which holds every byte value.
const SCREENSHOT_BYTES: u64 = 48_000;
const REPORT: &str = "# Report\n\nAll 128 tests passed. Größe: 4 kB → 3 kB 🎉\n";

const FILES: [&str; 3] = ["artifacts/screenshot.png", "artifacts/report.md", "artifacts/größe & 100%.txt"];

fn content(path: &str) -> Option<Vec<u8>> {
    Some(match path {
        "artifacts/screenshot.png" => {
            let noise = (0..SCREENSHOT_BYTES).map(|index| mix(7, index) as u8);
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a].into_iter().chain(noise).collect()
        }
        "artifacts/report.md" => REPORT.as_bytes().to_vec(),
        "artifacts/größe & 100%.txt" => b"an awkward name\n".to_vec(),
        _ => return None,
    })
}

pub(super) fn list(simulator: &Simulator, now: f64, agent_id: &str) -> Answer {
    let agent = find(simulator, agent_id)?;
    let finished = |id: &String| simulator.runs.get(id).filter(|run| run.state(now) == RunState::Finished);
    let updated = agent.runs.iter().filter_map(finished).filter_map(|run| run.ended(now)).reduce(f64::max);
    let item = |path: &&str| {
        let size = content(path).map_or(0, |bytes| bytes.len());
        json!({"path": path, "sizeBytes": size, "updatedAt": iso(updated.unwrap_or(now))})
    };
    let items: Vec<Value> = FILES.iter().filter(|_| updated.is_some()).map(item).collect();
    Ok(Response::json(200, &json!({"items": items})))
}

pub(super) fn presign(simulator: &mut Simulator, now: f64, request: &Request, agent_id: &str) -> Answer {
    find(simulator, agent_id)?;
    let path = request.query("path").ok_or_else(|| ApiError::invalid("path is required"))?;
    if !FILES.contains(&path.as_str()) {
        return Err(ApiError::new(404, "artifact_not_found", "Artifact not found"));
    }
    let expires = (now + URL_MS) as u64;
    let url = format!(
        "{}{ARTIFACT_PREFIX}{}?expires={expires}&signature={:016x}",
        simulator.service.artifact_origin.trim_end_matches('/'),
        encode(&path),
        signature(&path, expires)
    );
    Ok(Response::json(200, &json!({"url": url, "expiresAt": iso(expires as f64)})))
}

/// The object store's own answer: no API envelope, and no patience with a second kind of authentication.
pub(super) fn file(now: f64, request: &Request, key: &str) -> Answer {
    let refused = |status, code: &str| {
        let xml = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>").into_bytes();
        Ok(Response::new(status).with("content-type", "application/xml").body(xml))
    };
    if request.header_value("authorization").is_some() {
        return refused(400, "InvalidArgument");
    }
    let path = percent_decode(key);
    let expires = request.query("expires").and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let signed = request.query("signature") == Some(format!("{:016x}", signature(&path, expires)));
    match content(&path) {
        _ if !signed || now >= expires as f64 => refused(403, "AccessDenied"),
        None => refused(404, "NoSuchKey"),
        Some(bytes) => Ok(Response::new(200).with("content-type", "application/octet-stream").body(bytes)),
    }
}

fn signature(path: &str, expires: u64) -> u64 {
    path.bytes().fold(expires, |hash, byte| mix(hash, u64::from(byte)))
}

/// Percent-encodes all but unreserved characters and the slash.
fn encode(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}
