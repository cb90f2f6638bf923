//! `legwork completions`.

use clap::Args;
use clap_complete::Shell;

pub(super) const EXAMPLES: &str = "\
Examples:
  legwork completions bash > ~/.local/share/bash-completion/completions/legwork
  legwork completions zsh > ~/.zfunc/_legwork      with ~/.zfunc in $fpath
  legwork completions fish > ~/.config/fish/completions/legwork.fish

The script runs legwork for each completion, so that it knows the verbs, flags
and values, and the ids of your sessions. Write it again after an update.";

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}
