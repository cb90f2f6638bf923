//! Items that are left for a session just as whoever holds its claim gives that back.

use std::sync::{Arc, Mutex};

use futures_util::future::FutureExt as _;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Delivery, Session};
use legwork_core::inbox::{Cursor, Item, Label};
use legwork_core::{Seq, SessionId};
use legwork_port::{Claim, Store as _};
use legwork_testkit::{ScriptedModel, Turn};

use crate::meddled::{Meddled, Meddler};

/// Leaves items, one each time that a claim is given back.
struct Leaves {
    store: MemoryStore,
    items: Mutex<Vec<(&'static str, Item)>>,
}

impl Meddler for Leaves {
    fn releases(&self, session: &SessionId) {
        let Some((key, item)) = self.items.lock().unwrap().pop() else { return };
        self.store.post(session, key, &item).now_or_never().unwrap().unwrap();
    }
}

fn label(text: &str) -> Label {
    Label { entry: Seq(1), text: Some(text.to_owned()) }
}

fn session(store: MemoryStore, items: Vec<(&'static str, Item)>) -> Session {
    let leaves = Leaves { store: store.clone(), items: Mutex::new(items) };
    let store = Meddled::by(Arc::new(leaves), &store);
    let model = ScriptedModel::new([Turn::text("one")]);
    Agent::builder(model).store_in(Arc::new(store)).build().unwrap().session("s")
}

#[tokio::test]
async fn s8_2_what_is_left_while_an_idle_session_is_given_back_is_taken_up_too() {
    let store = MemoryStore::new();
    session(store.clone(), Vec::new()).run("go").await.unwrap();
    let items = ["second", "third"].map(|text| (text, Item::Label(label(text))));
    let session = session(store, items.to_vec());
    let Delivery::TakenUp(state) = session.label(label("first")).await.unwrap() else {
        panic!("nobody holds the session");
    };
    assert_eq!(state.facts().inbox_cursor, Cursor(3));
    let journaled = session.state().await.unwrap();
    assert_eq!(journaled, *state);
}

/// Gives a claim back as soon as something is left.
struct Frees(Mutex<Option<Box<dyn Claim>>>);

impl Meddler for Frees {
    fn posted(&self) {
        self.0.lock().unwrap().take();
    }
}

#[tokio::test]
async fn s8_2_a_session_that_was_claimed_and_never_began_takes_nothing_up() {
    let store = MemoryStore::new();
    let held = store.claim(&"s".into()).await.unwrap();
    let free = Mutex::new(Some(held));
    let meddled = Meddled::by(Arc::new(Frees(free)), &store);
    let agent = Agent::builder(ScriptedModel::new([Turn::text("one")]));
    let session = agent.store_in(Arc::new(meddled)).build().unwrap().session("s");
    let delivery = session.steer("be brief").await.unwrap();
    assert!(matches!(delivery, Delivery::Waiting(_)), "{delivery:?}");
    assert!(session.journal().await.unwrap().entries().is_empty());
    assert_eq!(session.run("go").await.unwrap().text(), "one");
}
