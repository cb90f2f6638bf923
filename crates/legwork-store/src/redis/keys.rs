//! The keys of a store; the table in the module's documentation says what they hold.

use std::sync::Arc;

use legwork_core::SessionId;

/// What all keys of a store begin with.
#[derive(Debug, Clone)]
pub(super) struct Keys(Arc<str>);

impl Keys {
    pub(super) fn new(prefix: &str) -> Self {
        Self(prefix.into())
    }

    pub(super) fn version(&self) -> Vec<u8> {
        self.global("version")
    }

    pub(super) fn fence(&self) -> Vec<u8> {
        self.global("fence")
    }

    pub(super) fn listed(&self) -> Vec<u8> {
        self.global("listed")
    }

    pub(super) fn due(&self) -> Vec<u8> {
        self.global("due")
    }

    pub(super) fn removal(&self, token: &str) -> Vec<u8> {
        self.global(&format!("removal:{token}"))
    }

    /// The channel on which changes of sessions are published; those of all databases share
    /// the names of channels.
    pub(super) fn channel(&self, db: i64) -> String {
        format!("{}:changed:{db}", self.0)
    }

    pub(super) fn session(&self, session: &SessionId) -> Vec<u8> {
        self.of("s", session)
    }

    pub(super) fn journal(&self, session: &SessionId) -> Vec<u8> {
        self.of("j", session)
    }

    pub(super) fn cut(&self, session: &SessionId) -> Vec<u8> {
        self.of("c", session)
    }

    pub(super) fn inbox(&self, session: &SessionId) -> Vec<u8> {
        self.of("i", session)
    }

    pub(super) fn posted(&self, session: &SessionId) -> Vec<u8> {
        self.of("k", session)
    }

    /// Keys of each type, to ask what a user may do with them.
    pub(super) fn samples(&self) -> [Vec<u8>; 4] {
        let session = SessionId::new("sample");
        [self.version(), self.session(&session), self.journal(&session), self.listed()]
    }

    /// What the key of a session's hash begins with; its id and a brace follow.
    pub(super) fn sessions(&self) -> Vec<u8> {
        self.global("s:{")
    }

    fn global(&self, name: &str) -> Vec<u8> {
        format!("{}:{name}", self.0).into_bytes()
    }

    fn of(&self, kind: &str, session: &SessionId) -> Vec<u8> {
        // In braces, so that the keys of one session have one hash slot.
        format!("{}:{kind}:{{{}}}", self.0, session.as_str()).into_bytes()
    }
}
