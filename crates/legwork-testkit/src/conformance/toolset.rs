//! What every toolset must keep.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::poll_immediate;
use legwork_core::{AgentState, SessionId, tool};
use legwork_port::toolset::{OpenToolset, Scope, Toolset};
use legwork_port::{Cancellation, Deps, Tool};

use super::{Outcome, Violations, ensure, run};

/// Checks every promise of the port on toolsets that `make` makes, all of which can be opened.
///
/// A set needs its [dependencies](Scope::deps): they are those that `deps` gives.
///
/// # Errors
/// The promises that were not kept.
pub async fn check<T: Toolset>(
    make: impl AsyncFn() -> T,
    deps: impl Fn() -> Deps,
) -> Result<(), Violations> {
    run!(Subject { set: make().await, deps: deps() } =>
        promises::it_has_a_name,
        promises::its_tools_are_its_own,
        promises::its_tools_stay_the_same_while_its_revision_does,
        promises::it_opens_again_after_it_was_closed,
        promises::it_opens_again_after_it_was_dropped,
        promises::it_opens_again_after_opening_was_given_up,
        promises::a_cancelled_run_is_not_kept_waiting,
        promises::two_sessions_may_have_it_open,
        promises::a_run_shares_it_with_itself,
    )
}

struct Subject<T> {
    set: T,
    deps: Deps,
}

impl<T: Toolset> Subject<T> {
    fn scope(&self, session: &str) -> Scope {
        Scope::new(SessionId::new(session), self.deps.clone(), Cancellation::new())
    }

    /// Opens it; none if its tools are always the same.
    async fn open(&self, session: &str) -> Result<Option<Box<dyn OpenToolset>>, String> {
        if self.set.tools().is_some() {
            return Ok(None);
        }
        let scope = self.scope(session);
        let open = self.set.open(&scope).await;
        open.map(Some).map_err(|error| format!("it does not open: {error}"))
    }

    /// The names of its tools.
    async fn listed(&self, open: Option<&dyn OpenToolset>) -> Result<Vec<String>, String> {
        let state = AgentState::new(SessionId::new("a session"));
        let tools: Vec<Arc<dyn Tool>> = match open {
            Some(open) => {
                let tools = open.tools(&state).await;
                tools.map_err(|error| format!("its tools cannot be listed: {error}"))?
            }
            None => self.set.tools().ok_or("it has tools only sometimes")?,
        };
        let specs: Vec<_> = tools.iter().map(|tool| tool.spec()).collect();
        for spec in &specs {
            tool::check_name(&spec.name).map_err(|error| error.to_string())?;
            let is_object = spec.parameters.is_object();
            ensure!(is_object, "the parameters of `{}` are not a JSON Schema", spec.name);
            ensure!(!spec.description.trim().is_empty(), "`{}` has no description", spec.name);
        }
        let names: Vec<_> = specs.iter().map(|spec| spec.name.to_string()).collect();
        let different: BTreeSet<_> = names.iter().collect();
        ensure!(different.len() == names.len(), "tools share a name: {names:?}");
        Ok(names)
    }
}

mod promises {
    use super::*;

    pub(super) async fn it_has_a_name<T: Toolset>(subject: &Subject<T>) -> Outcome {
        let name = subject.set.name();
        ensure!(!name.trim().is_empty(), "its name is empty");
        ensure!(subject.set.name() == name, "its name changes");
        Ok(())
    }

    pub(super) async fn its_tools_are_its_own<T: Toolset>(subject: &Subject<T>) -> Outcome {
        let open = subject.open("a").await?;
        subject.listed(open.as_deref()).await?;
        close(open).await;
        Ok(())
    }

    pub(super) async fn its_tools_stay_the_same_while_its_revision_does<T: Toolset>(
        subject: &Subject<T>,
    ) -> Outcome {
        let open = subject.open("a").await?;
        let revision = || open.as_ref().map(|open| (open.revision(), open.instructions()));
        let first = (subject.listed(open.as_deref()).await?, revision());
        let then = (subject.listed(open.as_deref()).await?, revision());
        let is_kept = first.1.as_ref().is_none_or(|(revision, _)| revision.is_some());
        let changed = first.1.as_ref().map(|it| it.0) != then.1.as_ref().map(|it| it.0);
        ensure!(!is_kept || changed || first == then, "it lists {first:?}, then {then:?}");
        close(open).await;
        Ok(())
    }

    pub(super) async fn it_opens_again_after_it_was_closed<T: Toolset>(
        subject: &Subject<T>,
    ) -> Outcome {
        let open = subject.open("a").await?;
        let first = subject.listed(open.as_deref()).await?;
        close(open).await;
        again(subject, &first).await
    }

    pub(super) async fn it_opens_again_after_it_was_dropped<T: Toolset>(
        subject: &Subject<T>,
    ) -> Outcome {
        let open = subject.open("a").await?;
        let first = subject.listed(open.as_deref()).await?;
        drop(open);
        again(subject, &first).await
    }

    pub(super) async fn it_opens_again_after_opening_was_given_up<T: Toolset>(
        subject: &Subject<T>,
    ) -> Outcome {
        // Asked for, and let go at its first wait.
        drop(poll_immediate(subject.open("a")).await);
        let open = subject.open("a").await?;
        subject.listed(open.as_deref()).await?;
        close(open).await;
        Ok(())
    }

    pub(super) async fn a_cancelled_run_is_not_kept_waiting<T: Toolset>(
        subject: &Subject<T>,
    ) -> Outcome {
        let scope = subject.scope("a");
        scope.cancellation.cancel();
        // Whether it opens or says why not, it comes to an end.
        if subject.set.tools().is_none()
            && let Ok(open) = subject.set.open(&scope).await
        {
            open.close().await;
        }
        Ok(())
    }

    pub(super) async fn two_sessions_may_have_it_open<T: Toolset>(subject: &Subject<T>) -> Outcome {
        let (one, other) = (subject.open("a").await?, subject.open("b").await?);
        let first = subject.listed(one.as_deref()).await?;
        close(one).await;
        let then = subject.listed(other.as_deref()).await?;
        ensure!(first == then, "one session is listed {first:?}, another {then:?}");
        close(other).await;
        Ok(())
    }

    pub(super) async fn a_run_shares_it_with_itself<T: Toolset>(subject: &Subject<T>) -> Outcome {
        let keys = [(); 2].map(|()| subject.set.share_key(&subject.scope("a")));
        ensure!(keys[0] == keys[1], "one scope has two keys: {keys:?}");
        Ok(())
    }
}

async fn again<T: Toolset>(subject: &Subject<T>, first: &[String]) -> Outcome {
    let open = subject.open("a").await?;
    let then = subject.listed(open.as_deref()).await?;
    ensure!(first == then, "first it lists {first:?}, opened again {then:?}");
    close(open).await;
    Ok(())
}

async fn close(open: Option<Box<dyn OpenToolset>>) {
    if let Some(open) = open {
        open.close().await;
    }
}
