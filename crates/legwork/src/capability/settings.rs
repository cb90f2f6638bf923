//! The workspace and the sandbox of tools, from settings.

use std::path::Path;
use std::sync::Arc;

use legwork_agent::capability::Fields;
use legwork_tools::sandbox::{Bubblewrap, Landlock, Network, Policy};
use legwork_tools::workspace::Access;
use legwork_tools::{Environment, Sandbox, Workspace};
use serde_json::Value;

/// Reads `dir` (the current directory by default), `read_only` and `read_write` (further paths).
pub(super) fn workspace(fields: &mut Fields) -> Result<Workspace, String> {
    let dir = fields.text("dir")?.unwrap_or_else(|| ".".to_owned());
    let mut workspace = Workspace::open(&dir).map_err(|error| format!("`dir`: {error}"))?;
    for (name, access) in [("read_only", Access::ReadOnly), ("read_write", Access::ReadWrite)] {
        for path in fields.texts(name)? {
            let allowed = workspace.allow(&path, access);
            workspace = allowed.map_err(|error| format!("`{name}`: {error}"))?;
        }
    }
    Ok(workspace)
}

/// Reads `sandbox` (`auto` by default) and `network` (`off` by default).
pub(super) fn sandbox(
    fields: &mut Fields,
    workspace: &Workspace,
    environment: &Environment,
) -> Result<Sandbox, String> {
    let network = |value: &Value| match value {
        Value::String(text) => text.parse().ok(),
        Value::Array(hosts) => {
            let hosts = hosts.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
            Network::hosts(hosts).ok()
        }
        _ => None,
    };
    let takes = "`off`, `all` or a list of hosts, such as [\"example.com\"]";
    let network = fields.take("network", takes, network)?.unwrap_or_default();
    let policy = workspace.allowed().fold(
        Policy::default().with_network(network),
        |policy, (path, access)| match access {
            Access::ReadOnly => policy.with_readable(path),
            Access::ReadWrite => policy.with_writable(path),
        },
    );
    let sandbox = |value: &Value| match value.as_str()? {
        "auto" => Some(Sandbox::auto(environment, policy.clone())),
        "bubblewrap" => {
            let walls = Bubblewrap::new(environment).with_policy(policy.clone());
            Some(Sandbox::By(Arc::new(walls)))
        }
        "landlock" => {
            let walls = Landlock::new(environment).with_policy(policy.clone());
            Some(Sandbox::By(Arc::new(walls)))
        }
        "off" => Some(Sandbox::Off),
        _ => None,
    };
    let takes = "`auto`, `bubblewrap`, `landlock` or `off`";
    let chosen = fields.take("sandbox", takes, sandbox)?;
    Ok(chosen.unwrap_or_else(|| Sandbox::auto(environment, policy.clone())))
}

/// Describes the workspace and the further allowed paths to the model, one line each.
pub(super) fn workspace_section(workspace: &Workspace) -> String {
    let root = workspace.root().display();
    format!("The workspace is {root}; paths are relative to it.{}", allowed_paths(workspace))
}

/// Describes the allowed paths outside of a workspace, one line each.
pub(super) fn allowed_paths(workspace: &Workspace) -> String {
    let line = |(path, access): (&Path, Access)| {
        let may = match access {
            Access::ReadOnly => "to be read",
            Access::ReadWrite => "to be read and changed",
        };
        format!("\nBeside it: {} ({may}, by absolute paths).", path.display())
    };
    workspace.allowed().map(line).collect()
}
