//! The bodies of events about what a model reads of the conversation.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::digest::Digest;
use crate::error::ErrorRecord;
use crate::id::Seq;
use crate::message::Message;
use crate::string_enum::string_enum;

string_enum! {
    /// What an inference that is no step is for.
    Purpose {
        /// A summary of the beginning of the conversation, to read in its place.
        Compaction = "compaction",
        /// A summary of a path of the conversation that is left.
        BranchSummary = "branch_summary",
        /// A summary of the result of a tool call.
        ToolResultSummary = "tool_result_summary",
        /// Which results of tool calls say the same.
        Similarity = "similarity",
        /// What the body of a tool call asks in the middle of its work.
        ToolPrompt = "tool_prompt",
    }
}

/// An inference that is no step is about to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuxiliaryStarted {
    /// What it is for.
    pub purpose: Purpose,
    /// The model as `provider:name`; none = the one of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// What is reserved for it until its usage is known.
    pub reserved: Amounts,
}

/// An inference that is no step ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuxiliaryFinished {
    /// What is charged for it.
    pub charged: Amounts,
    /// Why it gave nothing; none if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorRecord>,
}

/// What identifies a request as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestSent {
    /// The digest of all that the model was shown.
    pub digest: Digest,
    /// How many messages it had.
    pub messages: u64,
    /// How many messages from the first on are those of the request before; none if that is
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<u64>,
}

string_enum! {
    /// Why a conversation was compacted.
    CompactionCause {
        /// Somebody asked for it.
        Manual = "manual",
        /// It filled the share of the model's window that it may have.
        Window = "window",
        /// The provider refused a request that was too long.
        Overflow = "overflow",
    }
}

/// From now on a summary is read in place of the beginning of the conversation.
///
/// The transcript keeps everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compacted {
    /// The summary of all messages before the first that is kept.
    pub summary: String,
    /// The entry of the first message that is read as it is.
    pub first_kept: Seq,
    /// Entries before it whose messages are read as they are, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_kept: Vec<Seq>,
    /// Why it was compacted.
    pub cause: CompactionCause,
    /// How many tokens the conversation had before.
    pub tokens_before: u64,
    /// The files that were read and not changed, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_read: Vec<Arc<str>>,
    /// The files that were changed, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_changed: Vec<Arc<str>>,
    /// The tasks that were open, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_tasks: Vec<Arc<str>>,
}

/// The path that was left is summarised at the beginning of the new one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BranchSummarised {
    /// The last entry of the path that was left.
    pub from: Seq,
    /// The message with the summary.
    pub message: Arc<Message>,
}

/// A result of a tool call on the path: which entry holds the call, and which call it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultKey {
    /// The entry of the response that made the call.
    pub entry: Seq,
    /// The index of the call in the response.
    pub index: u32,
}

/// From now on a summary may be read in place of a result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultSummarised {
    /// The result.
    pub result: ResultKey,
    /// What is read in its place.
    pub summary: String,
}

/// A result of a tool call was compared with earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultCompared {
    /// The result.
    pub result: ResultKey,
    /// The earlier result that says the same; none if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<ResultKey>,
}
