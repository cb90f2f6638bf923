//! Toolsets that are made when they are first needed.

use std::future::Future;
use std::sync::Arc;

use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{BoxFuture, Toolset};

use crate::decorate::fixed;

type Make = dyn Fn(Scope) -> BoxFuture<'static, Result<Arc<dyn Toolset>, Error>> + Send + Sync;

/// A toolset that a function makes when a run first needs it, with what it needs of the run.
///
/// It is made again after the last run that used it has closed it. If it cannot be made, the runs
/// go on without its tools.
///
/// ```
/// # use std::sync::Arc;
/// # use legwork_port::{Tool, Toolset, toolset::Error};
/// use legwork_toolset::{Tools, lazy};
/// # struct Pool;
/// # fn tools_of(_: &Pool) -> Vec<Arc<dyn Tool>> { Vec::new() }
///
/// # fn of() -> impl Toolset {
/// lazy("tables", async |scope| {
///     let pool = scope.deps.get::<Pool>().ok_or(Error::Unavailable("no database".to_owned()))?;
///     Ok(Tools::new("tables", tools_of(pool)))
/// })
/// # }
/// ```
pub fn lazy<F, R, T>(name: impl Into<Arc<str>>, make: F) -> Lazy
where
    F: Fn(Scope) -> R + Send + Sync + 'static,
    R: Future<Output = Result<T, Error>> + Send + 'static,
    T: Toolset + 'static,
{
    let make: Arc<Make> = Arc::new(move |scope| {
        let made = make(scope);
        Box::pin(async { made.await.map(|set| Arc::new(set) as Arc<dyn Toolset>) })
    });
    Lazy { name: name.into(), make, share: Share::Runs }
}

/// Which runs share what was made.
#[derive(Debug, Clone, Copy)]
enum Share {
    /// Those with the same dependencies.
    Runs,
    /// Those of one session.
    Session,
}

/// A toolset that is made when it is first needed; made by [`lazy`].
#[derive(Clone)]
pub struct Lazy {
    name: Arc<str>,
    make: Arc<Make>,
    share: Share,
}

impl Lazy {
    /// The same, made for each session by itself: the function uses what the scope says of it.
    #[must_use]
    pub fn per_session(self) -> Self {
        Self { share: Share::Session, ..self }
    }
}

impl Toolset for Lazy {
    fn name(&self) -> &str {
        &self.name
    }

    fn open<'a>(&'a self, scope: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(async move {
            let set = (self.make)(scope.clone()).await?;
            let problems = set.problems();
            if !problems.is_empty() {
                return Err(Error::Fatal(problems.join("; ")));
            }
            fixed::open(&*set, scope).await
        })
    }

    fn share_key(&self, scope: &Scope) -> String {
        match self.share {
            Share::Runs => String::new(),
            Share::Session => scope.session.to_string(),
        }
    }
}
