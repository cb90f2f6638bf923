-- KEYS: version, session, journal, cut, listed, due
-- ARGV: layout, id, channel, fence, number of the append under this fence, expected entry, last
-- entry, time of the first entry, time of the last entry, last item that the writer saw or '',
-- last entry of a damaged tail or '', summary or '', item that the summary says was taken, time
-- when it says that the session is due or ''; then the entries
local LINES = 15
local layout, id, channel, fence, nth = unpack(ARGV, 1, 5)
local expected, last, first_at, last_at, seen, damaged = unpack(ARGV, 6, 11)
local summary, new_taken, new_due_at = unpack(ARGV, 12, 14)

local answer = foreign(KEYS[1], layout)
if answer then
    return answer
end
local found = redis.call('HMGET', KEYS[2], 'fence', 'last', 'posted', 'taken', 'due_at', 'due',
    'updated', 'done_under', 'done', 'until')
local found_last, posted, taken, due_at = found[2] or '0', found[3], found[4], found[5]
local due, updated = found[6] or '', found[7] or ''
if found[8] == fence then
    if found[9] == nth then
        -- The same call, whose answer was lost.
        return {'ok', posted or '0', '0'}
    end
    if tonumber(found[9]) > tonumber(nth) then
        return {'late'}
    end
end
if not found[1] then
    return {'removed'}
end
-- One that was given back has no end.
if found[1] ~= fence or not found[10] then
    return {'lost'}
end
local cuts = found_last ~= expected
if cuts and found_last ~= damaged then
    return {'moved', found_last}
end
if seen ~= '' and number(posted) > tonumber(seen) then
    return {'new_items', posted}
end
-- Fails here if a key is of another type.
redis.call('ZCARD', KEYS[5])
redis.call('ZCARD', KEYS[6])
redis.call('XLEN', KEYS[3])
redis.call('XLEN', KEYS[4])

if cuts then
    local tail = redis.call('XRANGE', KEYS[3], text(expected + 1) .. '-0', '+')
    for _, entry in ipairs(tail) do
        redis.call('XADD', KEYS[4], '*', 'at', entry[1], unpack(entry[2]))
    end
    for _, entry in ipairs(tail) do
        redis.call('XDEL', KEYS[3], entry[1])
    end
    if redis.call('EXISTS', KEYS[3]) == 1 then
        redis.call('XSETID', KEYS[3], expected .. '-0')
    end
    redis.call('HINCRBY', KEYS[2], 'cuts', 1)
end
local seq = tonumber(expected)
for line = LINES, #ARGV do
    seq = seq + 1
    redis.call('XADD', KEYS[3], text(seq) .. '-0', 'e', ARGV[line])
end
local fields = {'done_under', fence, 'done', nth, 'last', last}
local function set(field, value)
    table.insert(fields, field)
    table.insert(fields, value)
end
if expected == '0' and last ~= '0' then
    set('created', first_at)
end
local new_updated = updated
if last ~= expected then
    new_updated = last_at
    set('updated', new_updated)
end
if summary ~= '' then
    set('summary', summary)
    taken, due_at = new_taken, new_due_at
    set('taken', taken)
    set('due_at', due_at)
    if tonumber(taken) > number(posted) then
        posted = taken
        set('posted', posted)
    end
end
local new_due = due_since(last, new_updated, due_at, posted, taken)
set('due', new_due)
redis.call('HSET', KEYS[2], unpack(fields))
move(KEYS[5], id, updated, new_updated)
move(KEYS[6], id, due, new_due)
publish(channel, id)
return {'ok', posted or '0', cuts and '1' or '0'}
