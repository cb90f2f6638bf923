-- KEYS: version, listed, due, this removal; then for each session its hash, journal, inbox, keys
-- of items and cut entries
-- ARGV: layout, channel; then the ids
local answer = foreign(KEYS[1], ARGV[1])
if answer then
    return answer
end
if redis.call('EXISTS', KEYS[4]) == 1 then
    -- The same call, whose answer was lost.
    return {'ok'}
end
local time = now()
redis.call('ZCARD', KEYS[2])
redis.call('ZCARD', KEYS[3])
local sessions = {}
for at = 3, #ARGV do
    local keys = {unpack(KEYS, at * 5 - 10, at * 5 - 6)}
    local found = redis.call('HMGET', keys[1], 'last', 'posted', 'until', 'updated', 'due', 'by')
    if number(found[1]) == 0 and number(found[2]) == 0 then
        return {'unknown', text(at - 3)}
    end
    if found[3] and tonumber(found[3]) > time then
        return {'held', text(at - 3), found[6]}
    end
    table.insert(sessions, {ARGV[at], keys, found[4] or '', found[5] or ''})
end
for _, session in ipairs(sessions) do
    local id, keys, updated, due = unpack(session)
    redis.call('UNLINK', unpack(keys))
    move(KEYS[2], id, updated, '')
    move(KEYS[3], id, due, '')
    publish(ARGV[2], id)
end
-- As long as the call may be repeated.
redis.call('SET', KEYS[4], '1', 'EX', '120')
return {'ok'}
