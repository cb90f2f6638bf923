//! What the tests write, and servers to write it to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use legwork_core::{Entry, Event, Message, Seq, SessionId, Timestamp};
use legwork_port::store::{Batch, Range};
use legwork_port::{Claim, Store as _};
use legwork_store::redis::{Options, Store};
use legwork_testkit::servers::Redis;
use redis::aio::MultiplexedConnection;
use redis::{Client, FromRedisValue, ToRedisArgs, cmd};

/// How long a test waits for something that has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Keys of one test on a server.
pub(crate) struct Place {
    /// A server of its own, if it is not the one that all tests share.
    pub(crate) server: Option<Redis>,
    url: String,
    prefix: String,
}

impl Place {
    /// A place on the server that all tests share; none if Redis is not installed.
    pub(crate) fn shared() -> Option<Self> {
        let (url, server) = Redis::shared().unwrap()?;
        Some(Self::of(url, server))
    }

    /// A place on a server of its own; none if Redis is not installed.
    pub(crate) fn own() -> Option<Self> {
        let server = Redis::start().unwrap()?;
        Some(Self::of(server.url(), Some(server)))
    }

    fn of(url: String, server: Option<Redis>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { server, url, prefix: format!("test.{}.{number}", std::process::id()) }
    }

    pub(crate) fn server(&mut self) -> &mut Redis {
        self.server.as_mut().unwrap()
    }

    /// The address of the server, with the password.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The address of the store.
    pub(crate) fn address(&self) -> String {
        format!("{}?prefix={}", self.url, self.prefix)
    }

    pub(crate) fn store(&self) -> Store {
        self.open(Options::new())
    }

    pub(crate) fn open(&self, options: Options) -> Store {
        options.open(&self.address()).unwrap()
    }

    /// The name of a key of the store.
    pub(crate) fn key(&self, name: &str) -> String {
        format!("{}:{name}", self.prefix)
    }

    /// The name of a key of a session.
    pub(crate) fn of_session(&self, kind: &str, session: &SessionId) -> String {
        self.key(&format!("{kind}:{{{session}}}"))
    }

    /// The server as any client sees it.
    pub(crate) async fn client(&self) -> MultiplexedConnection {
        let client = Client::open(self.url.as_str()).unwrap();
        client.get_multiplexed_async_connection().await.unwrap()
    }

    /// Runs one command.
    pub(crate) async fn run<T: FromRedisValue>(&self, name: &str, args: impl ToRedisArgs) -> T {
        cmd(name).arg(args).query_async(&mut self.client().await).await.unwrap()
    }

    /// The names of the store's keys, and of no others.
    pub(crate) async fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.run("KEYS", self.key("*")).await;
        keys.sort();
        keys
    }

    /// Lets the lease of a session's claim expire.
    pub(crate) async fn expire(&self, session: &SessionId) {
        let key = self.of_session("s", session);
        assert!(self.run::<bool>("HEXISTS", (&key, "until")).await);
        let _: i64 = self.run("HSET", (&key, "until", "1")).await;
    }
}

pub(crate) fn session(name: &str) -> SessionId {
    SessionId::new(name)
}

pub(crate) fn said(seq: u64, text: &str) -> Arc<Entry> {
    let event = Event::MessageAdded(Arc::new(Message::user(text)));
    let at = Timestamp(1_760_000_000_000 + seq);
    Arc::new(Entry { seq: Seq(seq), parent: Seq(seq - 1), at, event })
}

/// Entries from one number to another.
pub(crate) fn entries(range: std::ops::RangeInclusive<u64>) -> Vec<Arc<Entry>> {
    range.map(|seq| said(seq, &format!("this is entry {seq}"))).collect()
}

/// Appends entries of these numbers, each range one append.
pub(crate) async fn write(
    store: &Store,
    name: &SessionId,
    ranges: &[std::ops::RangeInclusive<u64>],
) {
    let claim = store.claim(name).await.unwrap();
    for range in ranges {
        append(&*claim, range.clone()).await;
    }
    claim.release().await.unwrap();
}

pub(crate) async fn append(claim: &dyn Claim, range: std::ops::RangeInclusive<u64>) {
    claim.append(Seq(range.start() - 1), Batch::of(&entries(range))).await.unwrap();
}

/// The numbers of the entries that can be read.
pub(crate) async fn numbers(store: &Store, name: &SessionId) -> Vec<u64> {
    let journal = store.read(name, Range::ALL).await.unwrap().journal;
    journal.entries().iter().map(|entry| entry.seq.0).collect()
}

/// Tries until something comes out.
pub(crate) async fn until<T>(mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = attempt().await {
            return found;
        }
        assert!(Instant::now() < deadline, "it did not happen");
        tokio::task::yield_now().await;
    }
}
