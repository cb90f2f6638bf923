//! The tools of an agent: given one by one, from sources, selected by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_port::Tool;
use legwork_toolset::{Given, List, Owner, SharedToolset};

use crate::agent::builder::Builder;

impl Builder {
    /// Tools of one type; call it again for others, or give `Arc<dyn Tool>`s.
    #[must_use]
    pub fn tools<T: Tool + 'static>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        let owner = self.owner();
        let given = |tool| Given { tool: Arc::new(tool) as Arc<dyn Tool>, owner: owner.clone() };
        self.tools.extend(tools.into_iter().map(given));
        self
    }

    /// One tool.
    #[must_use]
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        self.tools([tool])
    }

    /// One tool, in the place of one of the same name, if there is one.
    #[must_use]
    pub fn replace_tool(self, tool: Arc<dyn Tool>) -> Self {
        self.in_place_of_tools(vec![tool])
    }

    pub(crate) fn in_place_of_tools(mut self, tools: Vec<Arc<dyn Tool>>) -> Self {
        let owner = self.owner();
        let named = |(at, given): (usize, &Given)| (Arc::clone(&given.tool.spec().name), at);
        let mut places: BTreeMap<_, _> = self.tools.iter().enumerate().rev().map(named).collect();
        for tool in tools {
            let name = Arc::clone(&tool.spec().name);
            let given = Given { tool, owner: owner.clone() };
            match places.get(&name).and_then(|at| self.tools.get_mut(*at)) {
                Some(place) => *place = given,
                None => {
                    places.insert(name, self.tools.len());
                    self.tools.push(given);
                }
            }
        }
        self
    }

    /// A source of tools. One that cannot be used costs its own tools, unless it is given as
    /// required:
    ///
    /// ```
    /// use legwork_agent::Builder;
    /// use legwork_agent::toolset::SharedToolset;
    /// use legwork_port::Toolset;
    ///
    /// fn with_mail(builder: Builder, mail: impl Toolset + 'static) -> Builder {
    ///     builder.toolset(SharedToolset::new(mail).required())
    /// }
    /// ```
    ///
    /// It is open once for all runs of the agent, of agents made of it, and of its subagents,
    /// as long as one of them runs. Agents that are built apart share it if each is given a
    /// clone of one [`SharedToolset`].
    #[must_use]
    pub fn toolset(mut self, toolset: impl Into<SharedToolset>) -> Self {
        self.toolsets.push(toolset.into());
        self
    }

    /// Only the tools of these names, from any source; none at all if there is no name.
    ///
    /// A name of which there is no tool is an error of [`Builder::build`], unless a toolset
    /// that is not static may bring it.
    #[must_use]
    pub fn only_tools<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names: Vec<_> = names.into_iter().map(Into::into).collect();
        self.names.write(List::OnlyTools, &names);
        self.names.allowed = Some(names.into_iter().collect());
        self
    }

    /// No tools of these names, from any source; denying wins over allowing. A name of
    /// which there is no tool is an error as with [`Builder::only_tools`].
    #[must_use]
    pub fn deny_tools<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names: Vec<_> = names.into_iter().map(Into::into).collect();
        self.names.write(List::DenyTools, &names);
        self.names.denied.extend(names);
        self
    }

    /// Names that [`Builder::only_tools`] and [`Builder::deny_tools`] may name though this
    /// agent has no such tools: one list may serve several agents.
    #[must_use]
    pub fn known_tools<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names.known.extend(names.into_iter().map(Into::into));
        self
    }

    /// Whose the tools are that are given now.
    pub(crate) fn owner(&self) -> Owner {
        self.installing.clone().map_or(Owner::Builder, Owner::Capability)
    }
}
