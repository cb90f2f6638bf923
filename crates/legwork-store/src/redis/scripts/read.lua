-- KEYS: session, journal
-- ARGV: entry where the range begins, entries at most
local found = redis.call('HMGET', KEYS[1], 'born', 'cuts', 'last', 'posted')
local lines = {}
if tonumber(ARGV[2]) > 0 then
    local start = ARGV[1] .. '-0'
    for at, entry in ipairs(redis.call('XRANGE', KEYS[2], start, '+', 'COUNT', ARGV[2])) do
        lines[at] = entry[2][2]
    end
end
return {'ok', found[1], found[2], found[3], found[4], lines}
