-- Schema version 2. Each durable write shall touch as few pages as it can, for the log
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
    labels  TEXT,                        -- a JSON array
    taken   INTEGER NOT NULL DEFAULT 0,  -- the last inbox item that the journal took up
    due_at  INTEGER,                     -- when it has work to do by itself
    posted  INTEGER NOT NULL DEFAULT 0,  -- the last inbox item, or taken if that is greater
    due     INTEGER GENERATED ALWAYS AS ( -- since when it is due, be it by itself or by an item
        CASE WHEN posted > taken
            THEN min(ifnull(due_at, updated), ifnull(updated, due_at)) ELSE due_at END
    ) VIRTUAL
) STRICT;

-- In the order of lists: those in progress, then by time, then by id.
CREATE INDEX listed ON session (updated);

-- Those that may be due, in the order in which they are worked in.
CREATE INDEX to_do ON session (due, name) WHERE due IS NOT NULL;

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
    cursor  INTEGER NOT NULL,            -- from 1; after those taken up elsewhere, if there are any
    key     TEXT NOT NULL,
    item    BLOB NOT NULL,               -- JSON
    PRIMARY KEY (session, cursor),
    UNIQUE (session, key)
) STRICT, WITHOUT ROWID;
