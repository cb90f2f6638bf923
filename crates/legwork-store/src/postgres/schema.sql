-- Schema version 1, in the Postgres schema that `@` stands for. What an append has to compare
-- (token, last entry, last item) is in the row of its session, so that one statement checks it
-- all on the newest version of that row, and locks it until the append is durable.

CREATE TABLE @.session (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text COLLATE "C" NOT NULL UNIQUE,
    fence       bigint NOT NULL,               -- the newest claim's token
    holder      bigint,                        -- which claim that is, of all that ever were
    lease_until timestamptz,                   -- until when it is claimed; null once given back
    last        bigint NOT NULL DEFAULT 0,     -- the number of its last entry
    created     bigint NOT NULL DEFAULT 0,     -- when its first entry was made, in ms since 1970
    updated     bigint NOT NULL DEFAULT 0,     -- when its last entry was made
    posted      bigint NOT NULL DEFAULT 0,     -- the last inbox item, or taken if that is greater
    taken       bigint NOT NULL DEFAULT 0,     -- the last inbox item that the journal took up
    due_at      bigint,                        -- when it has work to do by itself
    status      text,                          -- this and what follows: what lists say of it
    agent       text,
    parent      text COLLATE "C",              -- the name of the session that spawned it
    steps       bigint NOT NULL DEFAULT 0,
    title       text NOT NULL DEFAULT '',
    folded      text COLLATE "C" NOT NULL DEFAULT '',  -- the title in lower case, for searches
    labels      text[] NOT NULL DEFAULT '{}',
    due         bigint GENERATED ALWAYS AS (   -- since when it is due, by itself or by an item
        CASE WHEN last = 0 THEN NULL
             WHEN posted > taken THEN least(due_at, updated)
             ELSE due_at END
    ) STORED
);

-- In the order of lists. A session without an entry is in none.
CREATE INDEX listed ON @.session (updated DESC, name DESC) WHERE last > 0;
CREATE INDEX spawned ON @.session (parent, updated DESC, name DESC)
    WHERE last > 0 AND parent IS NOT NULL;

-- Those that may be due, in the order in which they are worked in.
CREATE INDEX to_do ON @.session (due, name) WHERE due IS NOT NULL;

-- Tokens rise over all sessions, so that one of a session that was removed never comes again.
CREATE SEQUENCE @.fence;

-- One row is one append. It is written under the lock of its session's row, so nothing has to
-- check that this is there.
CREATE TABLE @.journal (
    session bigint NOT NULL,
    last    bigint NOT NULL,                   -- the number of the row's last entry
    at      bigint NOT NULL,                   -- when that was made, in ms since 1970
    entries bytea NOT NULL,                    -- JSON, one entry a line
    PRIMARY KEY (session, last)
);

-- What came after the last whole entry of a journal, as it was, once another append took its
-- place. Nothing reads it but a person who restores a journal.
CREATE TABLE @.cut (
    session bigint NOT NULL,
    last    bigint NOT NULL,
    at      bigint NOT NULL,
    entries bytea NOT NULL
);
CREATE INDEX cut_session ON @.cut (session);

CREATE TABLE @.inbox (
    session bigint NOT NULL,
    cursor  bigint NOT NULL,                   -- from 1; after those taken up elsewhere, if any
    key     text COLLATE "C" NOT NULL,
    item    bytea NOT NULL,                    -- JSON
    PRIMARY KEY (session, cursor),
    UNIQUE (session, key)
);

CREATE TABLE @.legwork (version integer NOT NULL);
INSERT INTO @.legwork VALUES (1);
