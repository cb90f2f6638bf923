//! Agents and skills from files: where they are, which one is meant, what it may decide.
//!
//! Read the modules in this order: [`places`], [`found`], [`chosen`], [`models`],
//! [`assemble`].

pub(crate) mod assemble;
mod chosen;
mod found;
mod models;
mod places;

pub(crate) use chosen::Chosen;
pub(crate) use found::{Agents, whose};
pub(crate) use models::Other;
