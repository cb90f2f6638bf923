//! What a server asks the model in the middle of a call: sampling, in the words of the protocol.
#![expect(deprecated, reason = "the library marks sampling so; servers of 2025 have nothing else")]

use legwork_core::Message;
use legwork_core::message::{Image, MediaSource, Part, Role};
use legwork_core::tool::{Prompt, Prompted};
use rmcp::model::{
    self, CreateMessageRequestParams, CreateMessageResult, SamplingMessage,
    SamplingMessageContentBlock,
};
use serde::Deserialize as _;
use serde_json::Value;

/// What a server asks, and what it is answered.
pub(crate) type Params = CreateMessageRequestParams;
pub(crate) type Answer = CreateMessageResult;

/// Bytes of the prompts of a call that are asked at once, at most: they are journaled.
pub(crate) const PROMPTS: usize = 256 << 10;

/// Whether a server may ask the model of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Sampling {
    #[default]
    Refused,
    Offered,
}

/// What the model is asked: the messages, the system prompt and the maximum of tokens.
///
/// Which model answers, and how, the session decides: preferences, temperature and stop sequences
/// are not taken over, and nothing of the conversation is added.
///
/// # Errors
/// When it needs what is not offered, in words.
pub(crate) fn prompt(params: Params) -> Result<Prompt, String> {
    if params.tools.is_some_and(|tools| !tools.is_empty()) {
        return Err("this client offers the model no tools of servers".to_owned());
    }
    let messages = params.messages.into_iter().map(message).collect::<Result<Vec<_>, _>>()?;
    let prompt = Prompt::of(messages).map_err(|malformed| malformed.to_string())?;
    let prompt = prompt.with_max_output(params.max_tokens.into());
    let prompt = params.system_prompt.into_iter().fold(prompt, Prompt::with_instructions);
    match size(&prompt) <= PROMPTS {
        true => Ok(prompt),
        false => Err(format!("a prompt has at most {} KiB", PROMPTS >> 10)),
    }
}

/// The bytes of a prompt in a journal.
pub(crate) fn size(prompt: &Prompt) -> usize {
    serde_json::to_vec(prompt).map_or(usize::MAX, |json| json.len())
}

fn message(message: SamplingMessage) -> Result<Message, String> {
    let role = match message.role {
        model::Role::User => Role::User,
        _ => Role::Assistant,
    };
    let parts = message.content.into_vec().into_iter().map(part).collect::<Result<_, _>>()?;
    Ok(Message::new(role, parts))
}

fn part(content: SamplingMessageContentBlock) -> Result<Part, String> {
    match content {
        SamplingMessageContentBlock::Text(text) => Ok(Part::text(text.text)),
        SamplingMessageContentBlock::Image(image) => Ok(Part::Image(Image {
            media_type: image.mime_type,
            source: MediaSource::Base64(image.data),
        })),
        _ => Err("this client asks the model with texts and images only".to_owned()),
    }
}

/// What the server is answered, of what the call was supplied.
///
/// # Errors
/// When there is no answer, in words.
pub(crate) fn result(supplied: &Value) -> Result<Answer, String> {
    match Prompted::deserialize(supplied) {
        Ok(Prompted::Answered { text, model, is_cut }) => {
            let result =
                CreateMessageResult::new(SamplingMessage::assistant_text(text), model.to_string());
            Ok(result.with_stop_reason(match is_cut {
                true => CreateMessageResult::STOP_REASON_END_MAX_TOKEN,
                false => CreateMessageResult::STOP_REASON_END_TURN,
            }))
        }
        Ok(Prompted::Failed(why)) => Err(why),
        _ => Err("what was supplied is no answer of a model".to_owned()),
    }
}

#[cfg(test)]
mod tests;
