-- Precedes every script. No script writes before all its checks are done: an error in the middle
-- of a script undoes nothing.

-- The server's clock, in microseconds since 1970.
local function now()
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end

-- An integer as text, for Lua prints large numbers in scientific notation.
local function text(number)
    return string.format('%.0f', number)
end

-- An answer if the layout is not the one that these scripts know, and whether there is none yet.
local function foreign(key, known)
    local found = redis.call('GET', key)
    if not found then
        return nil, true
    end
    local version = tonumber(found)
    if not version then
        return {'strange'}
    end
    if version > tonumber(known) then
        return {'newer', text(version)}
    end
    return nil, false
end

-- The last item of the inbox, of a number that may not be there.
local function number(value)
    return tonumber(value or '0')
end

-- Since when a session is due, as 20 digits: by itself, or by items that were not taken up.
-- An empty text if neither is the case, or if the session has no entry.
local function due_since(last, updated, due_at, posted, taken)
    if number(last) == 0 then
        return ''
    end
    local since = due_at or ''
    if number(posted) > number(taken) and (since == '' or updated < since) then
        since = updated
    end
    return since
end

-- Moves a session within an index whose members are 20 digits and the session's id.
local function move(index, id, before, after)
    if before == after then
        return
    end
    if after ~= '' then
        redis.call('ZADD', index, 0, after .. id)
    end
    if before ~= '' then
        redis.call('ZREM', index, before .. id)
    end
end

-- Wakes those that watch a session. A user may not be allowed to publish.
local function publish(channel, id)
    redis.pcall('PUBLISH', channel, id)
end
