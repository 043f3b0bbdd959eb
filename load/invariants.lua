-- What Redis must hold after the flash sales of a load run, beside the promises that `admin promises check`
-- asks of their gates: for each thing that must not be, a line of its number and what is counted. The server is the run's own.
--
--   redis-cli --eval invariants.lua , SOLD
--
-- SOLD is how many units the orders in SQL have of these sales.

local function keysOf(pattern)
  local found, cursor = {}, '0'
  repeat
    local page = redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', 1000)
    cursor = page[1]
    for _, key in ipairs(page[2]) do found[key] = true end
  until cursor == '0'
  return found
end

local lines = {}
local function must(count, what) lines[#lines + 1] = string.format('%d\t%s', count, what) end

local waiting, unended, sold, sales = 0, 0, 0, 0
for gate in pairs(keysOf('*}:gate')) do
  local prefix = string.sub(gate, 1, -5)
  sales = sales + 1
  sold = sold + tonumber(redis.call('HGET', gate, 'confirmed'))
  waiting = waiting + redis.call('LLEN', prefix .. 'pending') + redis.call('ZCARD', prefix .. 'delayed')
    + redis.call('ZCARD', prefix .. 'dead') + redis.call('ZCARD', prefix .. 'leases')
  for batch in pairs(keysOf(prefix .. 'batch:*')) do waiting = waiting + redis.call('LLEN', batch) end
  for _, record in ipairs(redis.call('HVALS', prefix .. 'tickets')) do
    if not string.find(record, '^[crx] ') then unended = unended + 1 end
  end
end
must(sales == 0 and 1 or 0, 'runs in which no sale had its gate in Redis')
must(math.abs(sold - tonumber(ARGV[1])), 'units between what the gates in Redis and the orders in SQL count as sold')
must(unended, 'tickets in Redis that have not ended')
must(waiting, 'messages or leases left in the queues of sales')
return lines
