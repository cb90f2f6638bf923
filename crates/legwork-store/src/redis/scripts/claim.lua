-- KEYS: version, session, fence
-- ARGV: layout, lease in microseconds, token of the caller
local answer, new = foreign(KEYS[1], ARGV[1])
if answer then
    return answer
end
local time = now()
local found = redis.call('HMGET', KEYS[2], 'fence', 'until', 'by')
if found[3] == ARGV[3] then
    -- The same call, whose answer was lost; it changes nothing if its claim was given back since.
    if found[2] then
        redis.call('HSET', KEYS[2], 'until', text(time + ARGV[2]))
    end
    return {'ok', found[1], '0'}
end
if found[2] and tonumber(found[2]) > time then
    return {'held', found[3]}
end
-- Above every fence of this store, and of what it lost if its server lost the last second.
local fence = number(redis.call('GET', KEYS[3])) + 1
fence = text(math.max(fence, number(found[1]) + 1, time))
if new then
    redis.call('SET', KEYS[1], ARGV[1])
end
redis.call('SET', KEYS[3], fence)
redis.call('HSET', KEYS[2], 'fence', fence, 'until', text(time + ARGV[2]), 'by', ARGV[3])
redis.call('HSETNX', KEYS[2], 'born', fence)
return {'ok', fence, new and '1' or '0'}
