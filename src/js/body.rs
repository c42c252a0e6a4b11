//! Reading a response's body chunk by chunk.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::ReadableStream;

use super::sys::{BodyReader, BodyStream, ReadResult};

/// A body being read; cancelled when dropped.
pub(super) struct Body {
    reader: BodyReader,
}

impl Body {
    /// Fails when somebody else reads it.
    pub(super) fn of(stream: ReadableStream) -> Result<Self, JsValue> {
        let reader = stream.unchecked_into::<BodyStream>().get_reader()?;
        Ok(Self { reader })
    }

    /// The reader, for those who read for themselves. It is still cancelled from here.
    pub(super) fn reader(&self) -> &JsValue {
        &self.reader
    }

    /// The promise of the next chunk, for [`chunk`].
    fn read(&self) -> Result<JsFuture, JsValue> {
        self.reader.read().map(JsFuture::from)
    }

    /// Up to `limit` bytes of the body; what fails ends it.
    pub(super) async fn read_at_most(&self, limit: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < limit {
            let Ok(read) = self.read() else { break };
            let Ok(result) = read.await else { break };
            let Some(array) = chunk(result) else { break };
            bytes.extend_from_slice(&array.to_vec());
        }
        // The last chunk may have been longer than what was left.
        bytes.truncate(limit);
        bytes
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        // The promise gets a handler: a body whose cancel fails is nobody's problem any more.
        if let Ok(cancelled) = self.reader.cancel() {
            spawn_local(async move {
                let _ = JsFuture::from(cancelled).await;
            });
        }
    }
}

/// The bytes in what a read resolved to; `None` at the end.
fn chunk(result: JsValue) -> Option<Uint8Array> {
    let result: ReadResult = result.unchecked_into();
    (!result.done()).then(|| result.value().unchecked_into())
}
