-- KEYS: session
-- ARGV: fence, lease in microseconds
local found = redis.call('HMGET', KEYS[1], 'fence', 'until')
if not found[1] then
    return {'removed'}
end
-- One that was given back has no end: a renewal that comes late takes it no more.
if found[1] ~= ARGV[1] or not found[2] then
    return {'lost'}
end
redis.call('HSET', KEYS[1], 'until', text(now() + ARGV[2]))
return {'ok'}
