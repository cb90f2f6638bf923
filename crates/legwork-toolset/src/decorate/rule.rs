//! Rules that say which calls they mean: a tool, and a pattern of what the call is about.

mod reach;

use std::fmt;
use std::str::FromStr;

use legwork_core::ToolSpec;
use serde_json::Value;

/// Characters with which a shell runs another command, or writes to a file.
const SHELL: &[char] = &[';', '&', '|', '<', '>', '$', '`', '(', ')', '\n', '\r'];

/// A rule that says which calls it means.
///
/// `read` means all calls of a tool. `edit(src/**)` means those whose subject, here the path, fits
/// a pattern: `*` stands for anything but a `/`, `**` for anything. `bash(git log:*)` means the
/// command `git log`, alone or with further words, but nothing that runs another command beside it
/// or redirects its output; what the options of the command do is not looked at.
///
/// The subject of a call is the argument that names the resource of the tool, else the first argument
/// that its schema requires. A path that leads upwards (`..`) fits no pattern, and in a subject that
/// is not a resource, no wildcard stands for a character with which a shell runs another command.
///
/// That is how a rule is read that lets calls run ([`means`](Self::means)). One that refuses calls, or
/// asks about them, is read the other way where the text leaves a doubt
/// ([`may_mean`](Self::may_mean)).
///
/// ```
/// use legwork_port::core::ToolSpec;
/// use legwork_toolset::CallRule;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "required": ["command"]});
/// let bash = ToolSpec::new("bash", "Runs a command.", schema);
/// let rule: CallRule = "bash(git log:*)".parse()?;
/// assert!(rule.means(&bash, &json!({"command": "git log --oneline"})));
/// assert!(!rule.means(&bash, &json!({"command": "git log; rm -r src"})));
/// # Ok::<(), legwork_toolset::InvalidRule>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRule {
    tool: String,
    subject: Option<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    /// A command, alone or with further words.
    Command(String),
    /// A text with wildcards.
    Glob(String),
}

impl CallRule {
    /// All calls of a tool.
    pub fn tool(name: impl Into<String>) -> Self {
        Self { tool: name.into(), subject: None }
    }

    /// The calls of a tool that run a command, alone or with further words.
    pub fn command(tool: impl Into<String>, command: impl Into<String>) -> Self {
        Self { tool: tool.into(), subject: Some(Pattern::Command(command.into())) }
    }

    /// The name of the tool.
    pub fn tool_name(&self) -> &str {
        &self.tool
    }

    /// Whether it means a call of a tool with these arguments.
    pub fn means(&self, spec: &ToolSpec, arguments: &Value) -> bool {
        *spec.name == *self.tool && self.is_about(spec, arguments)
    }

    /// Whether it may mean a call of a tool with these arguments: what [`means`](Self::means) leaves
    /// out because it could be more than it seems is taken in.
    ///
    /// A command counts wherever one may begin: behind `;`, `&&` or `|`, in brackets and quotes, with
    /// its folder, and behind variables and programs that run others such as `sudo`. A path counts
    /// as it is without `.` and `..`; one that is absolute, or leads out of the folder, counts from
    /// each of its folders on. It is a guard against mistakes: what a script runs, and where a link
    /// leads, no rule sees.
    ///
    /// ```
    /// use legwork_port::core::ToolSpec;
    /// use legwork_toolset::CallRule;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "required": ["command"]});
    /// let bash = ToolSpec::new("bash", "Runs a command.", schema);
    /// let rule: CallRule = "bash(rm:*)".parse()?;
    /// assert!(rule.may_mean(&bash, &json!({"command": "cd src && sudo /bin/rm -r old"})));
    /// assert!(!rule.may_mean(&bash, &json!({"command": "git rm old"})));
    /// # Ok::<(), legwork_toolset::InvalidRule>(())
    /// ```
    pub fn may_mean(&self, spec: &ToolSpec, arguments: &Value) -> bool {
        *spec.name == *self.tool && self.may_be_about(spec, arguments)
    }

    /// Whether it may mean what a call is about, whatever the tool is called.
    pub(super) fn may_be_about(&self, spec: &ToolSpec, arguments: &Value) -> bool {
        let Some(pattern) = &self.subject else { return true };
        let Some(subject) = subject(spec, arguments) else { return false };
        let fits = |text: &String, glob: &str| fits(glob.as_bytes(), text.as_bytes());
        match pattern {
            Pattern::Command(command) => reach::runs(subject, command),
            Pattern::Glob(glob) if spec.resource.is_some() => {
                reach::paths(subject).any(|path| fits(&path, glob))
            }
            Pattern::Glob(glob) => {
                let mut texts = reach::paths(subject).chain(reach::commands(subject));
                texts.any(|text| fits(&text, glob))
            }
        }
    }

    /// Whether it means calls that are about this, such as a command or a path.
    pub fn fits(&self, subject: &str) -> bool {
        self.subject.as_ref().is_none_or(|pattern| pattern.fits(subject))
    }

    /// Whether it means what a call is about, whatever the tool is called.
    pub(super) fn is_about(&self, spec: &ToolSpec, arguments: &Value) -> bool {
        let Some(pattern) = &self.subject else { return true };
        let Some(subject) = subject(spec, arguments) else { return false };
        // What names no resource may be a line for a shell.
        let more = |c: char| SHELL.contains(&c) && !pattern.has(c);
        pattern.fits(subject) && (spec.resource.is_some() || !subject.contains(more))
    }
}

/// What a call is about: the argument that names the resource of the tool, else the first one that
/// its schema requires, if that is a text.
pub fn subject<'a>(spec: &ToolSpec, arguments: &'a Value) -> Option<&'a str> {
    let required = || spec.parameters.get("required")?.get(0)?.as_str();
    let name = spec.resource.as_deref().or_else(required)?;
    arguments.get(name)?.as_str()
}

impl Pattern {
    fn has(&self, c: char) -> bool {
        match self {
            Self::Command(text) | Self::Glob(text) => text.contains(c),
        }
    }

    fn fits(&self, subject: &str) -> bool {
        match self {
            Self::Command(command) => {
                let subject = subject.trim_matches([' ', '\t']);
                let rest = subject.strip_prefix(command.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
                    && !subject.contains(SHELL)
            }
            Self::Glob(glob) => {
                let subject = subject.strip_prefix("./").unwrap_or(subject);
                let leads_up = subject.split('/').any(|part| part == "..");
                !leads_up && fits(glob.as_bytes(), subject.as_bytes())
            }
        }
    }
}

/// Whether a text fits a pattern with wildcards.
///
/// It takes as many steps as both are long together, times each other at most: for each wildcard
/// only the last place is kept from which to go on.
fn fits(glob: &[u8], text: &[u8]) -> bool {
    // Places to go back to: behind a wildcard, and where its text may end one later.
    let (mut any, mut within) = (None::<(usize, usize)>, None::<(usize, usize)>);
    let (mut g, mut t) = (0, 0);
    loop {
        match (glob.get(g), text.get(t)) {
            (Some(b'*'), _) if glob.get(g + 1) == Some(&b'*') => {
                g += 2;
                (any, within) = (Some((g, t)), None);
            }
            (Some(b'*'), _) => {
                g += 1;
                within = Some((g, t));
            }
            (Some(wanted), Some(is)) if wanted == is => (g, t) = (g + 1, t + 1),
            (None, None) => return true,
            _ => match (within, any) {
                (Some((behind, from)), _) if text.get(from).is_some_and(|byte| *byte != b'/') => {
                    within = Some((behind, from + 1));
                    (g, t) = (behind, from + 1);
                }
                (_, Some((behind, from))) if from < text.len() => {
                    (any, within) = (Some((behind, from + 1)), None);
                    (g, t) = (behind, from + 1);
                }
                _ => return false,
            },
        }
    }
}

/// A text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no rule: write a tool such as `read`, or with what its calls are about, such as \
     `edit(src/**)` or `bash(git log:*)`"
)]
pub struct InvalidRule(String);

impl FromStr for CallRule {
    type Err = InvalidRule;

    fn from_str(text: &str) -> Result<Self, InvalidRule> {
        let wrong = || InvalidRule(text.to_owned());
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
        };
        let text = text.trim();
        let Some((tool, rest)) = text.split_once('(') else {
            return if is_name(text) { Ok(Self::tool(text)) } else { Err(wrong()) };
        };
        let pattern = rest.strip_suffix(')').filter(|pattern| !pattern.trim().is_empty());
        let pattern = pattern.filter(|_| is_name(tool)).ok_or_else(wrong)?;
        let subject = match pattern.strip_suffix(":*") {
            Some(command) => Pattern::Command(command.trim().to_owned()),
            None => Pattern::Glob(pattern.to_owned()),
        };
        Ok(Self { tool: tool.to_owned(), subject: Some(subject) })
    }
}

impl fmt::Display for CallRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            None => f.write_str(&self.tool),
            Some(Pattern::Command(command)) => write!(f, "{}({command}:*)", self.tool),
            Some(Pattern::Glob(glob)) => write!(f, "{}({glob})", self.tool),
        }
    }
}
