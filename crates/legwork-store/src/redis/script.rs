//! The scripts that run on the server, each of them atomic.

use std::sync::LazyLock;

use redis::{Script, ScriptInvocation, ToRedisArgs};

/// Scripts with what precedes each of them. A flag `allow-oom` lets one run on a server without
/// memory, as it needs none; `no-writes` lets one run on a replica,
/// and on a server without memory, which refuses even transactions that only read.
macro_rules! scripts {
    ($($name:ident = $flags:literal $file:literal;)+) => {$(
        pub(super) static $name: LazyLock<Script> = LazyLock::new(|| Script::new(concat!(
            "#!lua", $flags, "\n", include_str!("scripts/common.lua"), "\n", include_str!($file)
        )));
    )+};
}

scripts! {
    CLAIM = "" "scripts/claim.lua";
    RENEW = " flags=allow-oom" "scripts/renew.lua";
    RELEASE = " flags=allow-oom" "scripts/release.lua";
    CLAIMED = " flags=no-writes" "scripts/claimed.lua";
    APPEND = "" "scripts/append.lua";
    POST = "" "scripts/post.lua";
    REMOVE = " flags=allow-oom" "scripts/remove.lua";
    READ = " flags=no-writes" "scripts/read.lua";
    PROBE = " flags=no-writes" "scripts/probe.lua";
    LIST = " flags=no-writes" "scripts/list.lua";
}

/// A call of a script with its keys and arguments.
pub(super) struct Call(ScriptInvocation<'static>);

impl Call {
    pub(super) fn of(script: &'static Script) -> Self {
        Self(script.prepare_invoke())
    }

    pub(super) fn key(mut self, key: Vec<u8>) -> Self {
        self.0.key(key);
        self
    }

    pub(super) fn arg(mut self, argument: impl ToRedisArgs) -> Self {
        self.0.arg(argument);
        self
    }

    pub(super) fn invocation(&self) -> &ScriptInvocation<'static> {
        &self.0
    }
}
