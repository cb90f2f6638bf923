use legwork_testkit::Gate;

use super::*;
use crate::oauth::{Guard, TokenStore};

/// A store that keeps nothing, and holds those who want to change it.
#[derive(Clone, Default)]
struct Held {
    guard: Gate,
    loaded: Gate,
}

impl TokenStore for Held {
    fn load(&self) -> BoxFuture<'_, Result<Option<Grant>, Error>> {
        Box::pin(async {
            self.loaded.pass().await;
            Ok(None)
        })
    }

    fn save<'a>(&'a self, _: &'a Grant) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn clear(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn guard(&self) -> BoxFuture<'_, Result<Guard, Error>> {
        Box::pin(async {
            self.guard.pass().await;
            Ok(Guard::new(()))
        })
    }
}

#[tokio::test]
async fn s18_12_a_renewal_goes_on_when_nobody_waits_for_it() {
    let store = Held::default();
    let tokens = Tokens::new(Login::new(store.clone()), "https://a.example/mcp");
    tokio::select! {
        biased;
        _ = tokens.renew("over") => unreachable!("it waits for the guard"),
        () = store.guard.arrived(1) => {}
    }
    store.guard.open();
    store.loaded.arrived(1).await;
}
