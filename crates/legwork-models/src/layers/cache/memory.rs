//! A cache in memory.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::Response;
use legwork_core::digest::Digest;
use legwork_port::BoxFuture;

use super::Cache;

/// A cache in memory that holds so many bytes; clones are the same cache.
///
/// When it is full, the answers that were not asked for the longest make room.
#[derive(Clone)]
pub struct MemoryCache(Arc<Mutex<Answers>>);

#[derive(Default)]
struct Answers {
    most: usize,
    bytes: usize,
    /// The number of the next use.
    next: u64,
    by_key: HashMap<Digest, Answer>,
    by_use: BTreeMap<u64, Digest>,
}

struct Answer {
    response: Response,
    bytes: usize,
    used: u64,
}

impl MemoryCache {
    /// A cache of at most so many bytes, by the length of the answers as JSON.
    pub fn of_bytes(most: usize) -> Self {
        Self(Arc::new(Mutex::new(Answers { most, ..Answers::default() })))
    }

    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answers = self.lock();
        f.debug_struct("MemoryCache")
            .field("answers", &answers.by_key.len())
            .field("bytes", &answers.bytes)
            .finish()
    }
}

impl Cache for MemoryCache {
    fn get<'a>(&'a self, key: &'a Digest) -> BoxFuture<'a, Option<Response>> {
        Box::pin(async { self.lock().get(key) })
    }

    fn put(&self, key: Digest, response: Response) -> BoxFuture<'_, ()> {
        Box::pin(async { self.lock().put(key, response) })
    }
}

impl Answers {
    fn get(&mut self, key: &Digest) -> Option<Response> {
        let answer = self.by_key.get_mut(key)?;
        self.by_use.remove(&answer.used);
        answer.used = self.next;
        self.by_use.insert(self.next, key.clone());
        self.next += 1;
        Some(answer.response.clone())
    }

    fn put(&mut self, key: Digest, response: Response) {
        let bytes = key.as_str().len() + serde_json::to_vec(&response).map_or(0, |json| json.len());
        self.remove(&key);
        if bytes > self.most {
            return;
        }
        while self.bytes + bytes > self.most {
            let Some(oldest) = self.by_use.first_key_value().map(|(_, key)| key.clone()) else {
                break;
            };
            self.remove(&oldest);
        }
        self.bytes += bytes;
        self.by_use.insert(self.next, key.clone());
        self.by_key.insert(key, Answer { response, bytes, used: self.next });
        self.next += 1;
    }

    fn remove(&mut self, key: &Digest) {
        let Some(answer) = self.by_key.remove(key) else { return };
        self.bytes -= answer.bytes;
        self.by_use.remove(&answer.used);
    }
}
