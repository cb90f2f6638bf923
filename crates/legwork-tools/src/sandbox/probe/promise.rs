//! The promises, and how each is tried.

/// Something that a command cannot do.
#[derive(Debug)]
#[non_exhaustive]
pub struct Promise {
    /// Its name, for programs.
    pub name: &'static str,
    /// What a command cannot do, as the table in `docs/sandbox.md` says it.
    pub words: &'static str,
    /// A command that does it, or tries to: it prints a word if it succeeded, or harms what
    /// is at stake.
    pub(super) attempt: &'static str,
    /// The sandboxes that do not hold it, and name it among their gaps.
    pub not_held_by: &'static [&'static str],
}

const fn promise(name: &'static str, words: &'static str, attempt: &'static str) -> Promise {
    Promise { name, words, attempt, not_held_by: &[] }
}

/// One that needs namespaces.
const fn beyond_landlock(promise: Promise) -> Promise {
    Promise { not_held_by: &["landlock"], ..promise }
}

/// All promises, in the order of the table.
///
/// Their commands know what is at stake by variables: `OUT` is a folder outside with the
/// file `kept`, the socket `socket` and the named pipe `pipe`; `PORT` is served on the
/// loopback; `VICTIM` is a process; `TRY` starts the helper.
pub const PROMISES: &[Promise] = &[
    promise(
        "write",
        "write outside, also through a link",
        "echo lost >$OUT/new; echo lost >>$OUT/kept; ln -s $OUT way; echo lost >way/new; \
         ln $OUT/kept linked && echo lost >>linked; rm -f way linked",
    ),
    promise(
        "read",
        "read what is not on the list",
        "cat $OUT/kept && echo ESCAPED; cat ~/private && echo ESCAPED",
    ),
    beyond_landlock(promise(
        "list",
        "see which files are there",
        "stat $OUT/kept >/dev/null && echo ESCAPED",
    )),
    beyond_landlock(promise(
        "git",
        "write Git's hooks and configuration",
        "echo lost >.git/hooks/new && echo ESCAPED; echo lost >>.git/config && echo ESCAPED",
    )),
    beyond_landlock(promise(
        "attributes",
        "change modes, owners and times of files outside",
        "chmod 0777 $OUT/kept && echo ESCAPED; touch -d @0 $OUT/kept && echo ESCAPED",
    )),
    promise("truncate", "empty files outside by `truncate`", "$TRY truncate $OUT/kept"),
    promise(
        "network",
        "reach the network, the loopback too",
        "(exec 3<>/dev/tcp/127.0.0.1/$PORT) && echo ESCAPED",
    ),
    promise(
        "sockets",
        "reach sockets and pipes of other programs",
        "$TRY socket $OUT/socket; $TRY datagram $OUT/datagram; $TRY abstract $OUT; \
         timeout 2 sh -c 'echo lost 1<>$OUT/pipe'",
    ),
    beyond_landlock(promise(
        "processes",
        "see other processes and their command lines",
        "grep -q sleep /proc/$VICTIM/cmdline && echo ESCAPED",
    )),
    promise(
        "environment",
        "read the environment of other processes",
        "grep -q LEGWORK_PROBE /proc/$VICTIM/environ && echo ESCAPED",
    ),
    promise("trace", "trace other processes", "$TRY trace $VICTIM"),
    promise("signal", "signal other processes", "kill -CONT $VICTIM && echo ESCAPED"),
    promise(
        "scheduling",
        "limit other processes, change their priority, affinity or scheduling",
        "$TRY scheduling $VICTIM",
    ),
    promise("shared", "use shared memory of others, or leave some behind", "$TRY shared $SHARED"),
    promise(
        "memory",
        "keep files in memory, or large segments, that count for no process",
        "$TRY memory 1",
    ),
    promise(
        "namespaces",
        "make a user namespace, mount, make devices",
        "$TRY namespace 1; mkdir -p place; mount -t tmpfs none place && echo ESCAPED && umount place; \
         mknod zero c 1 5 && head -c 1 zero >/dev/null && echo ESCAPED; rm -rf place zero",
    ),
    promise(
        "privileges",
        "gain privileges",
        "grep -q 'CapEff:.0000000000000000' /proc/self/status || echo ESCAPED; \
         grep -q 'NoNewPrivs:.1' /proc/self/status || echo ESCAPED",
    ),
    promise(
        "machine",
        "change the machine by files of `/proc` and `/sys`, as root too",
        "for file in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger \
         /sys/kernel/mm/transparent_hugepage/enabled; do (exec 3>>$file) && echo ESCAPED; done",
    ),
    promise(
        "calls",
        "push into a terminal, use keys, `bpf`, `io_uring`, `userfaultfd`, `perf`",
        "$TRY calls 1",
    ),
];
