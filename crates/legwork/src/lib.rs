//! LLM agents that finish what they start
