//! Names that sort by time and meet nobody else's.

use legwork_core::SessionId;
use legwork_port::Ids;

/// UUIDs of version 7: they sort by the time they were made.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    fn session(&self) -> SessionId {
        SessionId::from(uuid::Uuid::now_v7().to_string())
    }
}
