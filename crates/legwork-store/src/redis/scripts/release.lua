-- KEYS: session
-- ARGV: fence
local found = redis.call('HMGET', KEYS[1], 'fence', 'last', 'posted')
if found[1] ~= ARGV[1] then
    return {'ok'}
end
if number(found[2]) == 0 and number(found[3]) == 0 then
    -- Nothing was written under it. Fences of later claims are higher nevertheless.
    redis.call('DEL', KEYS[1])
else
    redis.call('HDEL', KEYS[1], 'until')
end
return {'ok'}
