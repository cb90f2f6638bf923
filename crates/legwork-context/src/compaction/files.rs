//! The files that calls read and changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use legwork_core::event::{Compacted, Event, ToolFinished};
use legwork_core::state::ShownTools;
use legwork_core::{EffectClass, Entry, ToolCall, ToolSpec};
use serde_json::Value;

/// The name under which the metadata of a result list what its call changed.
const CHANGES: &str = "changes";

/// The files that calls read and changed, as a journal says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    read: BTreeSet<Arc<str>>,
    changed: BTreeSet<Arc<str>>,
}

impl Files {
    /// The files of a path of entries, oldest first.
    ///
    /// A file was read by a call that succeeded of a read-only tool whose spec names an argument
    /// as its resource (such as `read` with `path`); `shown` are the tools as they were shown
    /// before the first entry. It was changed if the metadata of a result say so: then it is not
    /// listed as read.
    pub fn of<'e>(path: impl IntoIterator<Item = &'e Entry>, shown: Option<&ShownTools>) -> Self {
        let specs = shown.into_iter().flat_map(|shown| &shown.specs);
        let mut reader = Reader {
            files: Self::default(),
            specs: specs.map(|spec| (Arc::clone(&spec.name), Arc::clone(spec))).collect(),
            calls: Vec::new(),
        };
        path.into_iter().for_each(|entry| reader.take(&entry.event));
        reader.files
    }

    /// The same with those of an earlier compaction.
    #[must_use]
    pub fn with_former(mut self, former: &Compacted) -> Self {
        self.read.extend(former.files_read.iter().cloned());
        self.changed.extend(former.files_changed.iter().cloned());
        self
    }

    /// The files that were changed, sorted.
    pub fn changed(&self) -> impl Iterator<Item = &Arc<str>> {
        self.changed.iter()
    }

    /// The files that were read and not changed, sorted.
    pub fn read(&self) -> impl Iterator<Item = &Arc<str>> {
        self.read.difference(&self.changed)
    }
}

struct Reader {
    files: Files,
    specs: BTreeMap<Arc<str>, Arc<ToolSpec>>,
    /// The calls of the turn, with the arguments that they ran with.
    calls: Vec<(Arc<ToolCall>, Option<Arc<str>>)>,
}

impl Reader {
    fn take(&mut self, event: &Event) {
        match event {
            Event::InferenceStarted(started) => {
                for spec in started.tools.iter().flat_map(|shown| &shown.specs) {
                    self.specs.insert(Arc::clone(&spec.name), Arc::clone(spec));
                }
            }
            Event::Responded(responded) => self.turn(responded.response.message.tool_calls()),
            Event::ResponseChanged(changed) => self.turn(changed.response.message.tool_calls()),
            Event::ToolStarted(started) => {
                if let Some((_, arguments)) = self.calls.get_mut(started.index as usize) {
                    *arguments = started.arguments.clone();
                }
            }
            Event::ToolFinished(finished) => self.finish(finished),
            _ => {}
        }
    }

    fn turn<'c>(&mut self, calls: impl Iterator<Item = &'c Arc<ToolCall>>) {
        self.calls = calls.map(|call| (Arc::clone(call), None)).collect();
    }

    fn finish(&mut self, finished: &ToolFinished) {
        let changes = finished.metadata.get(CHANGES).and_then(Value::as_array);
        let paths = changes.into_iter().flatten().filter_map(|change| change.get("path")?.as_str());
        self.files.changed.extend(paths.map(Arc::from));
        if finished.outcome.is_ok() {
            self.files.read.extend(self.resource(finished.index as usize));
        }
    }

    /// The file that a call of a read-only tool names.
    fn resource(&self, index: usize) -> Option<Arc<str>> {
        let (call, changed) = self.calls.get(index)?;
        let spec = self.specs.get(&call.name)?;
        let name = spec.resource.as_deref().filter(|_| spec.effect == EffectClass::ReadOnly)?;
        let arguments = changed.as_ref().unwrap_or(&call.arguments);
        let arguments: Value = serde_json::from_str(arguments).ok()?;
        arguments.get(name)?.as_str().map(Arc::from)
    }
}
