//! Stores of Legwork: where journals and inboxes live
