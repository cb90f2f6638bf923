//! Several toolsets as one.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;
use legwork_core::AgentState;
use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{BoxFuture, Tool, Toolset};
use tokio::sync;

use crate::decorate::Listing;
use crate::owner::{Owner, TakenNames, clash};
use crate::schema;
use crate::shared::SharedToolset;
use crate::source::Source;

/// Several toolsets as one.
///
/// Two tools of one name are an error that names both of their sets: of building the agent, if
/// they are known then, else of the execution, before the model is called. A set that cannot be
/// opened or listed costs its own tools only.
///
/// ```
/// # use std::sync::Arc;
/// # use legwork_port::{Tool, Toolset};
/// use legwork_toolset::{Combined, Tools, ToolsetExt as _};
///
/// # fn of(look: Arc<dyn Tool>, send: Arc<dyn Tool>) -> impl Toolset {
/// let files = Tools::new("files", [look]);
/// let mail = Tools::new("mail", [send]);
/// let mail = mail.prefixed("mail_");
/// Combined::new("office").with(files).with(mail).timed(std::time::Duration::from_secs(30))
/// # }
/// ```
#[derive(Clone)]
pub struct Combined {
    name: Arc<str>,
    sets: Vec<SharedToolset>,
}

impl Combined {
    /// A toolset of a name, of no set yet.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), sets: Vec::new() }
    }

    /// The same with the tools of a set behind its own.
    #[must_use]
    pub fn with(mut self, set: impl Into<SharedToolset>) -> Self {
        self.sets.push(set.into());
        self
    }

    /// The tools of each set, as far as they are known.
    fn known(&self) -> impl Iterator<Item = (Arc<str>, Option<Vec<Arc<dyn Tool>>>)> {
        self.sets.iter().map(|shared| (shared.name(), shared.set.tools()))
    }
}

impl Toolset for Combined {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        let known: Option<Vec<_>> = self.known().map(|(_, tools)| tools).collect();
        let mut tools: Vec<_> = known?.into_iter().flatten().collect();
        if self.is_fixed() {
            // Of two of one name, which are an error, the first.
            let mut names = BTreeSet::new();
            tools.retain(|tool| names.insert(Arc::clone(&tool.spec().name)));
        }
        Some(tools)
    }

    fn is_fixed(&self) -> bool {
        self.sets.iter().all(|shared| shared.set.is_fixed())
    }

    fn problems(&self) -> Vec<String> {
        let mut problems: Vec<_> =
            self.sets.iter().flat_map(|shared| shared.set.problems()).collect();
        let all_known = self.tools().is_some();
        let mut taken = TakenNames::default();
        for (shared, (name, tools)) in self.sets.iter().zip(self.known()) {
            let owner = Owner::Toolset(name);
            for tool in tools.into_iter().flatten() {
                let spec = tool.spec();
                // Whoever is given all of them checks them.
                if !all_known {
                    problems.extend(schema::check(&spec).err());
                }
                // Sets that depend on the state may have turns in showing a tool.
                if shared.set.is_fixed()
                    && let Err(first) = taken.take(&spec.name, &owner)
                {
                    problems.push(clash(&spec.name, &first, &owner));
                }
            }
        }
        problems
    }

    fn open<'a>(&'a self, scope: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(async move {
            let sources = self.sets.iter().map(|shared| Source::open(shared, scope));
            let sources = sync::Mutex::new(join_all(sources).await);
            Ok(Box::new(Open { sources, told: Mutex::default() }) as Box<dyn OpenToolset>)
        })
    }

    fn share_key(&self, scope: &Scope) -> String {
        let keys = self.sets.iter().map(|shared| shared.set.share_key(scope));
        // Two lists of keys are equal only if all of them are.
        keys.map(|key| format!("{}:{key}", key.len())).collect()
    }
}

/// The sets as they are open.
struct Open {
    sources: sync::Mutex<Vec<Source>>,
    /// As of the last listing: another run may be listing now.
    told: Mutex<Told>,
}

/// What the sets say beside their tools.
#[derive(Default)]
struct Told {
    revision: Option<u64>,
    instructions: Option<String>,
    problems: Vec<String>,
}

impl Told {
    fn by(sources: &[Source]) -> Self {
        let revision = || {
            let mut revisions = DefaultHasher::new();
            for source in sources {
                source.revision()?.hash(&mut revisions);
            }
            Some(revisions.finish())
        };
        let sections: Vec<_> = sources.iter().filter_map(Source::section).collect();
        Self {
            revision: revision(),
            instructions: (!sections.is_empty()).then(|| sections.join("\n\n")),
            problems: sources.iter().flat_map(Source::problems).collect(),
        }
    }
}

impl Open {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenToolset for Open {
    fn tools<'a>(&'a self, state: &'a AgentState) -> Listing<'a> {
        Box::pin(async move {
            let mut sources = self.sources.lock().await;
            let (mut all, mut taken) = (Vec::new(), TakenNames::default());
            for source in sources.iter_mut() {
                source.list(state).await;
            }
            *self.told() = Told::by(&sources);
            for source in sources.iter() {
                let missing = || Some(format!("{}; it is required", source.missing()?));
                if let Some(why) = source.fatal.clone().or_else(missing) {
                    return Err(Error::Fatal(why));
                }
                for listed in &source.tools {
                    let name = &listed.spec.name;
                    let taken = taken.take(name, &source.owner);
                    taken.map_err(|first| Error::Fatal(clash(name, &first, &source.owner)))?;
                    all.push(Arc::clone(&listed.tool));
                }
            }
            Ok(all)
        })
    }

    fn revision(&self) -> Option<u64> {
        // While another run lists them, what was said last.
        match self.sources.try_lock() {
            Ok(sources) => Told::by(&sources).revision,
            Err(_) => self.told().revision,
        }
    }

    fn instructions(&self) -> Option<String> {
        self.told().instructions.clone()
    }

    fn problems(&self) -> Vec<String> {
        self.told().problems.clone()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let sources = std::mem::take(&mut *self.sources.lock().await);
            join_all(sources.into_iter().map(Source::close)).await;
        })
    }
}
