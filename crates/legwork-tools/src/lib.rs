//! Tools of Legwork: files and the shell, confined
