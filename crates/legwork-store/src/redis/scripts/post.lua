-- KEYS: version, session, inbox, keys of items, due
-- ARGV: layout, id, channel, key of the item, item
local answer, new = foreign(KEYS[1], ARGV[1])
if answer then
    return answer
end
local known = redis.call('HGET', KEYS[4], ARGV[4])
if known then
    return {'ok', known, '0'}
end
local found = redis.call('HMGET', KEYS[2], 'last', 'posted', 'taken', 'due_at', 'due', 'updated')
-- Fails here if a key is of another type.
redis.call('ZCARD', KEYS[5])
redis.call('XLEN', KEYS[3])

local cursor = text(number(found[2]) + 1)
local due = found[5] or ''
local new_due = due_since(found[1], found[6] or '', found[4], cursor, found[3])
redis.call('XADD', KEYS[3], cursor .. '-0', 'k', ARGV[4], 'i', ARGV[5])
redis.call('HSET', KEYS[4], ARGV[4], cursor)
redis.call('HSET', KEYS[2], 'posted', cursor, 'due', new_due)
move(KEYS[5], ARGV[2], due, new_due)
if new then
    redis.call('SET', KEYS[1], ARGV[1])
end
publish(ARGV[3], ARGV[2])
return {'ok', cursor, new and '1' or '0'}
