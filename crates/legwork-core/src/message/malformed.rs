//! Why messages cannot be part of a conversation.

use std::sync::Arc;

use crate::id::CallId;
use crate::message::{
    Message, Part, ProviderData, ResultPart, Role, Text, Thinking, ToolCall, ToolResult,
};
use crate::nesting;

/// Why messages cannot be part of a conversation, in which each call has exactly one result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// A call has no result.
    #[error(
        "the call `{call}` of `{tool}` has no result: give the result in a message after it, or \
         remove the call"
    )]
    OpenCall {
        /// The id of the call.
        call: CallId,
        /// The tool that it calls.
        tool: Arc<str>,
    },
    /// A result does not follow its call.
    #[error(
        "the result for `{call}` follows no call of that id: put it after its call, once, or give \
         it as text"
    )]
    LoneResult {
        /// The call that it refers to.
        call: CallId,
    },
    /// A message that is not an assistant message contains a call.
    #[error("a message of the role `{role}` has a tool call: only an assistant message can")]
    MisplacedCall {
        /// The role of the message.
        role: Role,
    },
    /// A message that is not a tool message contains a result.
    #[error("a message of the role `{role}` has a tool result: only a tool message can")]
    MisplacedResult {
        /// The role of the message.
        role: Role,
    },
    /// A message that is not a user message is a program's own.
    #[error("a message of the role `{role}` has data of a program: only a user message can")]
    MisplacedApp {
        /// The role of the message.
        role: Role,
    },
    /// A part is nested too deeply.
    #[error("a message is nested too deeply to be journaled: give the inner part as text")]
    TooDeep,
}

impl Message {
    /// Checks that its role allows its parts, and that a journal can hold them.
    ///
    /// Whether calls have their results is checked over all messages, by
    /// [`Transcript::check`](crate::Transcript::check).
    ///
    /// # Errors
    /// The first part that fails the check.
    pub fn check(&self) -> Result<(), Malformed> {
        match &self.app {
            Some(_) if self.role != Role::User => {
                return Err(Malformed::MisplacedApp { role: self.role.clone() });
            }
            Some(app) if !app.fits() => return Err(Malformed::TooDeep),
            _ => {}
        }
        self.parts.iter().try_for_each(|part| match part {
            Part::ToolCall(_) if self.role != Role::Assistant => {
                Err(Malformed::MisplacedCall { role: self.role.clone() })
            }
            Part::ToolResult(_) if self.role != Role::Tool => {
                Err(Malformed::MisplacedResult { role: self.role.clone() })
            }
            part if !part.fits() => Err(Malformed::TooDeep),
            _ => Ok(()),
        })
    }
}

impl Part {
    /// Whether a journal can hold it as it is.
    fn fits(&self) -> bool {
        let known = self.provider().is_none_or(|provider| provider.data.fits());
        known
            && match self {
                Self::Other(value) => nesting::fits(value),
                Self::ToolResult(result) => result.parts.iter().all(ResultPart::fits),
                _ => true,
            }
    }

    /// The data that the provider attached to it.
    pub fn provider(&self) -> Option<&ProviderData> {
        match self {
            Self::Text(text) | Self::Refusal(text) => text.provider.as_ref(),
            Self::Thinking(thinking) => thinking.provider.as_ref(),
            Self::ToolCall(call) => call.provider.as_ref(),
            _ => None,
        }
    }

    /// The same, with values that a journal cannot hold as their text.
    pub(crate) fn for_journal(self) -> Self {
        let shallow = |provider: Option<ProviderData>| provider.map(ProviderData::for_journal);
        let text = |text: Text| Text { provider: shallow(text.provider), ..text };
        match self {
            Self::Text(part) => Self::Text(text(part)),
            Self::Refusal(part) => Self::Refusal(text(part)),
            Self::Thinking(part) => {
                Self::Thinking(Thinking { provider: shallow(part.provider), ..part })
            }
            Self::Other(value) => Self::Other(nesting::shallow(value)),
            Self::ToolCall(call) if call.provider.is_some() => {
                let call = Arc::unwrap_or_clone(call);
                Self::ToolCall(Arc::new(ToolCall { provider: shallow(call.provider), ..call }))
            }
            Self::ToolResult(result) => {
                let parts = result.parts.into_iter().map(ResultPart::for_journal).collect();
                Self::ToolResult(ToolResult { parts, ..result })
            }
            part => part,
        }
    }
}

impl ProviderData {
    fn for_journal(self) -> Self {
        Self { data: self.data.for_journal(), ..self }
    }
}

impl ResultPart {
    /// Whether a journal can hold it as it is.
    pub(crate) fn fits(&self) -> bool {
        match self {
            Self::Json(value) => nesting::fits(value),
            _ => true,
        }
    }

    /// The same, with a value that a journal cannot hold as its text.
    pub(crate) fn for_journal(self) -> Self {
        match self {
            Self::Json(value) if !nesting::fits(&value) => Self::Text(value.to_string()),
            part => part,
        }
    }
}
