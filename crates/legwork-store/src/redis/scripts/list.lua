-- KEYS: index
-- ARGV: what the key of a session begins with, order ('up' or 'down'), where the range begins,
-- where it ends, members at most, which sessions ('all' or 'free': those that nobody claims)
local index, start, before, most = KEYS[1], ARGV[1], ARGV[3], tonumber(ARGV[5])
local members
if ARGV[2] == 'down' then
    members = redis.call('ZRANGE', index, before, ARGV[4], 'BYLEX', 'REV', 'LIMIT', 0, most)
else
    members = redis.call('ZRANGE', index, before, ARGV[4], 'BYLEX', 'LIMIT', 0, most)
end
local time = now()
local rows = {}
for _, member in ipairs(members) do
    local id = string.sub(member, 21)
    local found = redis.call('HMGET', start .. id .. '}', 'created', 'updated', 'last', 'posted',
        'summary', 'until')
    local claimed = found[6] and tonumber(found[6]) > time
    if ARGV[6] == 'all' or not claimed then
        table.insert(rows, {id, unpack(found, 1, 5)})
    end
end
return {'ok', members[#members] or '', #members == most and '1' or '0', rows}
