-- KEYS: session
local claimed = redis.call('HGET', KEYS[1], 'until')
if claimed and tonumber(claimed) > now() then
    return {'held'}
end
return {'free'}
