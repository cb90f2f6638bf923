-- Schema version 1. Each durable write shall touch as few pages as it can, for the log
-- takes whole pages: so one row is one append, its key makes it the last of its session,
-- and a step of an agent writes nothing beside it.

CREATE TABLE session (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    fence   INTEGER NOT NULL DEFAULT 0,  -- the newest claim's token
    created INTEGER,                     -- when its first entry was made, in ms since 1970
    updated INTEGER,                     -- when its last entry was made; null while an execution
                                         -- is in progress: then the last row of its journal says it
    status  TEXT,                        -- this and what follows: what lists say of it
    agent   TEXT,
    parent  TEXT,                        -- the name of the session that spawned it
    steps   INTEGER,
    title   TEXT,
    labels  TEXT                         -- a JSON array
) STRICT;

-- In the order of lists: those in progress, then by time, then by id.
CREATE INDEX listed ON session (updated);

CREATE TABLE journal (
    id      INTEGER PRIMARY KEY,         -- session.id << 32 | number of the row's last entry
    at      INTEGER NOT NULL,            -- when its last entry was made, in ms since 1970
    entries BLOB NOT NULL                -- JSON, one entry a line
) STRICT;

-- What came after the last whole entry of a journal, as it was, once another append took
-- its place. Nothing here reads it; whoever restores a journal can.
CREATE TABLE cut (
    id      INTEGER NOT NULL,            -- as in journal
    at      INTEGER NOT NULL,
    entries BLOB NOT NULL
) STRICT;

CREATE TABLE inbox (
    session INTEGER NOT NULL REFERENCES session (id),
    cursor  INTEGER NOT NULL,            -- from 1, without a gap
    key     TEXT NOT NULL,
    item    BLOB NOT NULL,               -- JSON
    PRIMARY KEY (session, cursor),
    UNIQUE (session, key)
) STRICT, WITHOUT ROWID;

-- What a run of version 1 left: two entries in progress, an item in the inbox.
INSERT INTO session (id, name, fence, created, status, agent, steps, title)
VALUES (1, 's', 7, 1001, 'in_progress', 'clerk', 1, 'Count');
INSERT INTO journal (id, at, entries) VALUES
    (4294967297, 1001, CAST('{"v":2,"seq":1,"parent":0,"at":1001,"type":"session_started","body":{"session":"s","agent":"clerk"}}
' AS BLOB)),
    (4294967298, 1002, CAST('{"v":2,"seq":2,"parent":1,"at":1002,"type":"execution_started","body":{"input":[]}}
' AS BLOB));
INSERT INTO inbox (session, cursor, key, item) VALUES (1, 1, 'key', CAST('{"stop":"enough"}' AS BLOB));
PRAGMA application_id = 0x4c67576b;
PRAGMA user_version = 1;
