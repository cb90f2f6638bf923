//! A server of Bedrock's Converse. Frames are made by the library that AWS's own clients use.

use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use serde_json::{Value, json};

use super::Said;

/// The type of an answer in frames.
pub(crate) const FRAMES: &str = "application/vnd.amazon.eventstream";

/// A frame with headers.
pub(crate) fn frame(headers: &[(&'static str, &'static str)], payload: &str) -> Vec<u8> {
    let mut message = Message::new(payload.as_bytes().to_vec());
    for (name, value) in headers {
        let value = HeaderValue::String((*value).into());
        message = message.add_header(Header::new(*name, value));
    }
    let mut bytes = Vec::new();
    write_message_to(&message, &mut bytes).unwrap();
    bytes
}

/// The frame of an event.
pub(crate) fn event(kind: &'static str, payload: &Value) -> Vec<u8> {
    frame(&[(":message-type", "event"), (":event-type", kind)], &payload.to_string())
}

/// The frame of an exception.
pub(crate) fn exception(kind: &'static str, payload: &Value) -> Vec<u8> {
    let headers = [(":message-type", "exception"), (":exception-type", kind)];
    frame(&headers, &payload.to_string())
}

fn started() -> Vec<u8> {
    event("messageStart", &json!({"role": "assistant"}))
}

fn delta(delta: &Value) -> Vec<u8> {
    event("contentBlockDelta", &json!({"contentBlockIndex": 0, "delta": delta}))
}

fn ended(reason: &str) -> Vec<u8> {
    let stop = event("contentBlockStop", &json!({"contentBlockIndex": 0}));
    let metadata = event("metadata", &json!({"metrics": {"latencyMs": 7}}));
    [stop, event("messageStop", &json!({"stopReason": reason})), metadata].concat()
}

fn whole(block: Value) -> Value {
    json!({"output": {"message": {"role": "assistant", "content": [block]}},
        "stopReason": "end_turn"})
}

pub(super) fn said() -> Said {
    let headers = [(":message-type", "event"), (":event-type", "contentBlockDelta")];
    let mut endless = delta(&json!({"text": "x"}));
    endless.truncate(endless.len() - 5);
    endless[..4].copy_from_slice(&(1_u32 << 30).to_be_bytes());
    let checksum = crc32(&endless[..8]).to_be_bytes();
    endless[8..12].copy_from_slice(&checksum);
    let call =
        event("contentBlockStart", &json!({"contentBlockIndex": 0, "start": {"toolUse": {}}}));
    let arguments = delta(&json!({"toolUse": {"input": {"a": 1}}}));
    Said {
        stream: FRAMES,
        opening: started(),
        text: ["Hé", "llo"].map(|text| delta(&json!({"text": text}))),
        closing: ended("end_turn"),
        error: exception("serviceUnavailableException", &json!({"message": "busy"})),
        garbage: frame(&headers, "{\"contentBlockIndex\": nonsense"),
        endless,
        odd_call_in_stream: [started(), call, arguments, ended("tool_use")].concat(),
        body: whole(json!({"text": "Héllo"})),
        error_body: json!({"__type": "com.amazon.coral#ServiceUnavailableException",
            "message": "busy"}),
        odd_call: whole(json!({"toolUse": {"input": {"a": 1}}})),
    }
}

/// The checksum of a frame's beginning (CRC-32 as in IEEE 802.3), which its length is part of.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _: u32| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}
