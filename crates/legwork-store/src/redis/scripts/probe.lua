-- KEYS: a string, a hash, a stream, a sorted set
-- Which commands of the other scripts the user may not run: one that is refused in the middle of
-- a script would leave what was written before it.
local plain, hash, stream, sorted = unpack(KEYS)
local commands = {
    {'TIME'}, {'GET', plain}, {'SET', plain, '1', 'EX', '1'}, {'EXISTS', plain},
    {'DEL', plain}, {'UNLINK', plain},
    {'HGET', hash, 'f'}, {'HMGET', hash, 'f'}, {'HSET', hash, 'f', 'v'},
    {'HSETNX', hash, 'f', 'v'}, {'HDEL', hash, 'f'}, {'HINCRBY', hash, 'f', '1'},
    {'XADD', stream, '*', 'f', 'v'}, {'XRANGE', stream, '-', '+'}, {'XDEL', stream, '1-0'},
    {'XLEN', stream}, {'XSETID', stream, '1-0'},
    {'ZADD', sorted, '0', 'm'}, {'ZREM', sorted, 'm'}, {'ZCARD', sorted},
    {'ZRANGE', sorted, '-', '+', 'BYLEX'},
}
local refused = {}
for _, command in ipairs(commands) do
    if not redis.acl_check_cmd(unpack(command)) then
        table.insert(refused, command[1])
    end
end
return {'ok', table.concat(refused, ', ')}
