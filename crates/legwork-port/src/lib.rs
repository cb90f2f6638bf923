//! The contract of Legwork: the traits that models, tools, stores and lifecycles implement
