//! Typed dependencies that a program gives its tools and hooks.

use std::any::{Any, TypeId, type_name};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Values that tools and hooks look up by their type, one per type; cheap to clone.
///
/// ```
/// use legwork_port::Deps;
///
/// struct Mail(&'static str);
///
/// let deps = Deps::new().with(Mail("localhost")).with(8025_u16);
/// assert_eq!(deps.get::<Mail>().unwrap().0, "localhost");
/// assert_eq!(deps.get::<u16>(), Some(&8025));
/// assert!(deps.get::<String>().is_none());
/// ```
#[derive(Clone, Default)]
pub struct Deps(Arc<BTreeMap<TypeId, Held>>);

#[derive(Clone)]
struct Held {
    of: &'static str,
    value: Arc<dyn Any + Send + Sync>,
}

impl Deps {
    /// No dependencies.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a value, which replaces one of the same type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Self {
        let dep = Held { of: type_name::<T>(), value: Arc::new(value) };
        Arc::make_mut(&mut self.0).insert(TypeId::of::<T>(), dep);
        self
    }

    /// Whether both are clones of the same dependencies, or both are empty.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.is_empty() && other.0.is_empty()
    }

    /// The value of a type, if there is one.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.value.downcast_ref()
    }

    /// The same, shared: it may outlive the dependencies.
    pub fn shared<T: Any + Send + Sync>(&self) -> Option<Dep<T>> {
        let held = self.0.get(&TypeId::of::<T>())?;
        Arc::clone(&held.value).downcast().ok().map(Dep)
    }
}

/// A dependency of a type, as an argument of a tool; it dereferences to the value.
///
/// The model never sees it. Clones share the value, and may be moved into tasks and threads.
pub struct Dep<T>(Arc<T>);

impl<T> Deref for Dep<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for Dep<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> From<Dep<T>> for Arc<T> {
    fn from(dep: Dep<T>) -> Self {
        dep.0
    }
}

impl<T> fmt::Debug for Dep<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value may be secret; its type is not.
        write!(f, "Dep<{}>", type_name::<T>())
    }
}

impl fmt::Debug for Deps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values may be secret; their types are not.
        f.debug_set().entries(self.0.values().map(|dep| dep.of)).finish()
    }
}
