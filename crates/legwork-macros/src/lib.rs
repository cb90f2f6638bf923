//! The #[tool] attribute of Legwork.
