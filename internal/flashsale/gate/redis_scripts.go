package gate

import (
	"github.com/redis/go-redis/v9"

	"interlock/internal/mq"
)

// The gate of a sale in Redis, all keys under the hash tag of its queue:
//
//	gate     HASH: epoch (absent without a gate) and floor, the rules, the counters, and the
//	         numbers of tickets and buyers (known, customers)
//	tickets  HASH: ticket → see recordOf
//	buyers   HASH: user → units held|latest ticket
//	arrivals HASH: result → attempts so far; result and slot → those of a second
//	pending  the queue's own list, see mq.RedisKeys
//
// Each script implements the step of book with the same name.

// luaClock defines clock, which returns the argument in µs or, if that is 0, the server's
// time; and tick, which adds units to the counters of the second. Eight seconds have
// counters.
const luaClock = `
local function clock(override)
  if override ~= '0' then return tonumber(override) end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000000 + tonumber(t[2])
end
local function tick(gate, kind, now, units)
  local second = math.floor(now / 1000000)
  local slot = second % 8
  local at = kind .. 't' .. slot
  local seen = redis.call('HGET', gate, at)
  if seen ~= string.format('%d', second) then
    redis.call('HSET', gate, at, string.format('%d', second), kind .. 'n' .. slot, 0)
  end
  redis.call('HINCRBY', gate, kind .. 'n' .. slot, units)
end
`

// luaSound defines sound, which reports whether the gate still has all its tickets and
// buyers. A server that evicts keys when its memory is full may have dropped some.
const luaSound = `
local function sound(gate, tickets, buyers)
  local g = redis.call('HMGET', gate, 'known', 'customers')
  return (not g[1] or redis.call('HLEN', tickets) == tonumber(g[1])) and (not g[2] or redis.call('HLEN', buyers) == tonumber(g[2]))
end
`

// admitScript: KEYS gate, tickets, buyers, pending; ARGV now in µs or 0, then for each
// purchase epoch, ticket, user, units, message. It decides on them in order. Replies for
// each:
//
//	{'no_gate'}
//	{'known', record}
//	{'not_open'} {'not_started'} {'ended'} {'queue_full'}
//	{'limit_reached', held, ticket}
//	{'sold_out', remaining, accepted}
//	{'accepted', record}
//
// Each key is read once and written once, for any number of purchases, except the counters
// of a sold-out sale: a command inside a script costs the server about a microsecond, and
// each write another one for the append-only file.
var admitScript = redis.NewScript(luaClock + `
local now = clock(ARGV[1])
local second = string.format('%d', math.floor(now / 1000000))
local slot = tonumber(second) % 8
local at, an = 'at' .. slot, 'an' .. slot
local g = redis.call('HMGET', KEYS[1], 'epoch', 'open', 'starts', 'ends', 'limit', 'cap', 'remaining', 'waiting', 'queued', at, an, 'known', 'customers')
local known, buyers, tickets, users = {}, {}, {}, {}
for i = 2, #ARGV, 5 do
  tickets[#tickets + 1] = ARGV[i + 1]
  users[#users + 1] = ARGV[i + 2]
end
if g[1] then
  for i, record in ipairs(redis.call('HMGET', KEYS[2], unpack(tickets))) do known[tickets[i]] = record end
  for i, buyer in ipairs(redis.call('HMGET', KEYS[3], unpack(users))) do buyers[users[i]] = buyer end
end
local starts, ends, limit, cap = tonumber(g[3]), tonumber(g[4]), tonumber(g[5]), tonumber(g[6])
local remaining, waiting, sold, customers = tonumber(g[7]), tonumber(g[8]), 0, 0
local function let_in()
  local g = redis.call('HMGET', KEYS[1], 'allotted', 'withheld', 'rejected', 'returned')
  return tonumber(g[1]) - tonumber(g[2] or 0) - remaining + tonumber(g[3] or 0) + tonumber(g[4] or 0)
end
local newTickets, newBuyers, messages = {}, {}, {}
local function admit(epoch, ticket, user, units, message)
  if not g[1] or g[1] ~= epoch then return {'no_gate'} end
  if known[ticket] then return {'known', known[ticket]} end
  local held, latest = 0, ''
  if buyers[user] then
    local n, t = string.match(buyers[user], '^(%d+)|(.*)$')
    held, latest = tonumber(n), t
  end
  if g[2] ~= '1' then return {'not_open'} end
  if now < starts then return {'not_started'} end
  if now >= ends then return {'ended'} end
  if held + units > limit or (remaining <= 0 and held > 0) then return {'limit_reached', string.format('%d', held), latest} end
  if remaining < units then return {'sold_out', string.format('%d', remaining), string.format('%d', let_in())} end
  if cap > 0 and waiting >= cap then return {'queue_full'} end
  local record = string.format('q %d %s %d %d 0  ', units, user, now, math.max(0, waiting))
  known[ticket] = record
  if not buyers[user] then customers = customers + 1 end
  buyers[user] = string.format('%d|%s', held + units, ticket)
  remaining, waiting, sold = remaining - units, waiting + 1, sold + units
  local n = #newTickets
  newTickets[n + 1], newTickets[n + 2] = ticket, record
  newBuyers[n + 1], newBuyers[n + 2] = user, buyers[user]
  messages[#messages + 1] = message
  return {'accepted', record}
end
local replies = {}
for i = 2, #ARGV, 5 do
  replies[#replies + 1] = admit(ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3]), ARGV[i + 4])
end
if sold > 0 then
  local ticked = g[10] == second and tonumber(g[11]) or 0
  redis.call('HSET', KEYS[1], 'remaining', string.format('%d', remaining), 'queued', string.format('%d', tonumber(g[9]) + sold),
    'waiting', string.format('%d', waiting), 'known', string.format('%d', tonumber(g[12]) + #messages),
    'customers', string.format('%d', tonumber(g[13]) + customers), at, second, an, string.format('%d', ticked + sold))
  redis.call('HSET', KEYS[2], unpack(newTickets))
  redis.call('HSET', KEYS[3], unpack(newBuyers))
  redis.call('RPUSH', KEYS[4], unpack(messages))
end
return replies
`)

// lookUpScript: KEYS gate, tickets or buyers; ARGV for each lookup epoch, and ticket or
// user. Replies for each 'no_gate', a record, or "" if there is none.
var lookUpScript = redis.NewScript(`
local epoch, requested = redis.call('HGET', KEYS[1], 'epoch'), {}
for i = 2, #ARGV, 2 do requested[#requested + 1] = ARGV[i] end
local replies = redis.call('HMGET', KEYS[2], unpack(requested))
for i = 1, #requested do
  if epoch ~= ARGV[2 * i - 1] then replies[i] = 'no_gate' else replies[i] = replies[i] or '' end
end
return replies
`)

// luaMove defines move, which applies steps to the tickets of a gate and returns, for each,
// the record or "", and whether it was moved. steps has six words per step: ticket, from
// (letters), to (letter), order id, order no, reason.
//
// All tickets are read by one command and written by one, and the counters are changed by
// the sum of all steps.
const luaMove = `
local units_of = {q = 'queued', p = 'processing', d = 'dead', c = 'confirmed', r = 'remaining', x = 'remaining'}
local tickets_of = {q = 'waiting', p = 'working', d = 'buried'}
local function move(gate, tickets, buyers, now, steps)
  local requested, records, changed, delta, confirmed = {}, {}, {}, {}, 0
  for i = 1, #steps, 6 do requested[#requested + 1] = steps[i] end
  if #requested > 0 then
    for i, record in ipairs(redis.call('HMGET', tickets, unpack(requested))) do records[requested[i]] = record end
  end
  local function add(field, n) if field then delta[field] = (delta[field] or 0) + n end end
  local after, moved = {}, {}
  for i = 1, #steps, 6 do
    local ticket, to = steps[i], steps[i + 2]
    local record, did = records[ticket], false
    if record then
      local from, units, user, at, ahead, id, no, why = string.match(record, '^(%a) (%d+) ([^ ]*) (%d+) (%d+) (%d+) ([^ ]*) (.*)$')
      if string.find(steps[i + 1], from, 1, true) and from ~= to then
        if steps[i + 3] ~= '0' then id = steps[i + 3] end
        if steps[i + 4] ~= '' then no = steps[i + 4] end
        if steps[i + 5] ~= '' then why = steps[i + 5] end
        record = table.concat({to, units, user, at, ahead, id, no, why}, ' ')
        records[ticket], changed[ticket], did = record, true, true
        units = tonumber(units)
        add(units_of[from], -units)
        add(units_of[to], units)
        add(tickets_of[from], -1)
        add(tickets_of[to], 1)
        if to == 'c' then confirmed = confirmed + units end
        if to == 'r' or to == 'x' then
          add(to == 'r' and 'rejected' or 'returned', units)
          local buyer = redis.call('HGET', buyers, user)
          if buyer then
            local held, latest = string.match(buyer, '^(%d+)|(.*)$')
            redis.call('HSET', buyers, user, string.format('%d', math.max(0, tonumber(held) - units)) .. '|' .. latest)
          end
        end
      end
    end
    after[#after + 1], moved[#moved + 1] = record or '', did
  end
  local fields = {}
  for ticket in pairs(changed) do
    fields[#fields + 1] = ticket
    fields[#fields + 1] = records[ticket]
  end
  if #fields > 0 then redis.call('HSET', tickets, unpack(fields)) end
  for field, n in pairs(delta) do
    if n ~= 0 then redis.call('HINCRBY', gate, field, string.format('%d', n)) end
  end
  if confirmed > 0 then tick(gate, 'c', now, string.format('%d', confirmed)) end
  return after, moved
end
`

// moveScript: KEYS gate, tickets, buyers; ARGV epoch, now in µs or 0, then the words of
// luaMove for each step. Replies {'no_gate'} or {'ok', for each '0' or '1' (moved) followed
// by the record, or "" for an unknown ticket}.
var moveScript = redis.NewScript(luaClock + luaMove + `
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return {'no_gate'} end
local steps = {}
for i = 3, #ARGV do steps[i - 2] = ARGV[i] end
local after, moved = move(KEYS[1], KEYS[2], KEYS[3], clock(ARGV[2]), steps)
local reply = {'ok'}
for i, record in ipairs(after) do reply[i + 1] = record == '' and '' or (moved[i] and '1' or '0') .. record end
return reply
`)

// applyScript: KEYS gate; ARGV epoch, version, stock version, open, starts, ends,
// limit, cap, allotted. Replies 'no_gate' or 'ok'.
var applyScript = redis.NewScript(`
local g = redis.call('HMGET', KEYS[1], 'epoch', 'version', 'stock', 'allotted', 'withheld')
if g[1] ~= ARGV[1] then return 'no_gate' end
if tonumber(ARGV[2]) >= tonumber(g[2]) then
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'open', ARGV[4], 'starts', ARGV[5], 'ends', ARGV[6], 'limit', ARGV[7], 'cap', ARGV[8])
end
if tonumber(ARGV[3]) > tonumber(g[3]) then
  redis.call('HSET', KEYS[1], 'stock', ARGV[3], 'allotted', ARGV[9], 'withheld', 0)
  redis.call('HINCRBY', KEYS[1], 'remaining', string.format('%d', tonumber(ARGV[9]) - tonumber(g[4]) + tonumber(g[5] or 0)))
end
return 'ok'
`)

// withholdScript: KEYS gate; ARGV epoch, stock version, units. Replies 'no_gate',
// 'outdated', 'too_few' or 'ok'.
var withholdScript = redis.NewScript(`
local g = redis.call('HMGET', KEYS[1], 'epoch', 'stock', 'remaining', 'withheld')
if g[1] ~= ARGV[1] then return 'no_gate' end
if g[2] ~= ARGV[2] then return 'outdated' end
local there = tonumber(g[3]) + tonumber(g[4] or 0)
if tonumber(ARGV[3]) > 0 and there < tonumber(ARGV[3]) then return 'too_few' end
redis.call('HSET', KEYS[1], 'remaining', string.format('%d', there - tonumber(ARGV[3])), 'withheld', ARGV[3])
return 'ok'
`)

// adoptScript: KEYS gate, tickets, buyers; ARGV epoch, then for each ticket and record.
// Replies 'no_gate' or the number of added tickets.
var adoptScript = redis.NewScript(`
local g = redis.call('HMGET', KEYS[1], 'epoch', 'remaining')
if g[1] ~= ARGV[1] then return 'no_gate' end
local remaining, adopted, customers = tonumber(g[2]), 0, 0
local counter = {x = 'returned', r = 'rejected', c = 'confirmed'}
for i = 2, #ARGV, 2 do
  local state, units, user = string.match(ARGV[i + 1], '^(%a) (%d+) ([^ ]*) ')
  local fits = state ~= 'c' or tonumber(units) <= remaining
  if counter[state] and fits and redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1]) == 1 then
    adopted = adopted + 1
    redis.call('HINCRBY', KEYS[1], counter[state], units)
    if state == 'c' then
      remaining = remaining - tonumber(units)
      redis.call('HINCRBY', KEYS[1], 'remaining', '-' .. units)
      local held, latest = '0', ''
      local buyer = redis.call('HGET', KEYS[3], user)
      if buyer then held, latest = string.match(buyer, '^(%d+)|(.*)$') else customers = customers + 1 end
      if latest == '' then latest = ARGV[i] end
      redis.call('HSET', KEYS[3], user, string.format('%d', tonumber(held) + tonumber(units)) .. '|' .. latest)
    end
  end
end
redis.call('HINCRBY', KEYS[1], 'known', adopted)
redis.call('HINCRBY', KEYS[1], 'customers', customers)
return string.format('%d', adopted)
`)

// inFlightScript: KEYS gate, tickets; ARGV epoch, cursor. Replies 'no_gate', or the next
// cursor and, for each ticket in flight on this page, ticket and record.
var inFlightScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return {'no_gate'} end
local part = redis.call('HSCAN', KEYS[2], ARGV[2], 'COUNT', 1000)
local reply = {part[1]}
for i = 1, #part[2], 2 do
  if string.find(part[2][i + 1], '^[qpd] ') then
    reply[#reply + 1] = part[2][i]
    reply[#reply + 1] = part[2][i + 1]
  end
end
return reply
`)

// buyersScript: KEYS gate, buyers; ARGV epoch, cursor, maximum. Replies 'no_gate',
// 'too_many', or the next cursor and the users of this page.
var buyersScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return {'no_gate'} end
if redis.call('HLEN', KEYS[2]) > tonumber(ARGV[3]) then return {'too_many'} end
local part = redis.call('HSCAN', KEYS[2], ARGV[2], 'COUNT', 1000)
local reply = {part[1]}
for i = 1, #part[2], 2 do reply[#reply + 1] = part[2][i] end
return reply
`)

// requeueScript: KEYS the queue's, then gate, tickets, buyers; ARGV epoch, then for each
// ticket and message. Replies 'no_gate' or the number of queued tickets.
var requeueScript = redis.NewScript(luaClock + luaMove + mq.ScriptPrelude + `
if redis.call('HGET', KEYS[8], 'epoch') ~= ARGV[1] then return 'no_gate' end
local steps, queued = {}, 0
for i = 2, #ARGV, 2 do
  for _, word in ipairs({ARGV[i], 'qpd', 'q', '0', '', ''}) do steps[#steps + 1] = word end
end
for i, record in ipairs((move(KEYS[8], KEYS[9], KEYS[10], 0, steps))) do
  if string.find(record, '^q ') then
    redis.call('RPUSH', pending, ARGV[2 * i + 1])
    queued = queued + 1
  end
end
return string.format('%d', queued)
`)

// retryDeadScript and discardDeadScript: KEYS the queue's, then gate, tickets, buyers;
// ARGV epoch, message. Reply 'no_gate', 'no_message' or 'ok'.
var (
	retryDeadScript = redis.NewScript(luaClock + luaMove + mq.ScriptPrelude + `
if redis.call('HGET', KEYS[8], 'epoch') ~= ARGV[1] then return 'no_gate' end
if not retry_dead(ARGV[2]) then return 'no_message' end
move(KEYS[8], KEYS[9], KEYS[10], 0, {ARGV[2], 'd', 'q', '0', '', ''})
return 'ok'
`)
	discardDeadScript = redis.NewScript(mq.ScriptPrelude + `
if redis.call('HGET', KEYS[8], 'epoch') ~= ARGV[1] then return 'no_gate' end
return discard_dead(ARGV[2]) and 'ok' or 'no_message'
`)
)

// attemptScript: KEYS arrivals; ARGV now in µs or 0, then for each result its name and
// count. Its fields are separate from the gate's.
var attemptScript = redis.NewScript(luaClock + `
local second = string.format('%d', math.floor(clock(ARGV[1]) / 1000000))
local slot = string.format('%d', tonumber(second) % 8)
local fresh = redis.call('HGET', KEYS[1], 'second' .. slot) ~= second
redis.call('HSET', KEYS[1], 'second' .. slot, second)
for i = 2, #ARGV, 2 do
  if fresh then redis.call('HDEL', KEYS[1], ARGV[i] .. slot) end
  if ARGV[i + 1] ~= '0' then
    redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1])
    redis.call('HINCRBY', KEYS[1], ARGV[i] .. slot, ARGV[i + 1])
  end
end
return 'ok'
`)

// countsScript: KEYS gate, arrivals, tickets, buyers; ARGV now in µs or 0. Replies {now,
// name, value, …}, {now} without a sound gate.
var countsScript = redis.NewScript(luaClock + luaSound + `
local reply, there = redis.call('HGETALL', KEYS[1]), false
for i = 1, #reply, 2 do there = there or reply[i] == 'epoch' end
if not there or not sound(KEYS[1], KEYS[3], KEYS[4]) then
  reply = {}
else
  for _, word in ipairs(redis.call('HGETALL', KEYS[2])) do reply[#reply + 1] = word end
end
table.insert(reply, 1, string.format('%d', clock(ARGV[1])))
return reply
`)

// retireScript: KEYS the queue's, then gate, tickets, buyers; ARGV epoch, 1 to replace a
// sound gate. Replies 1 if there is no gate of the epoch and none can be built, or 0.
var retireScript = redis.NewScript(luaSound + mq.ScriptPrelude + `
local g, epoch = redis.call('HMGET', KEYS[8], 'epoch', 'floor'), tonumber(ARGV[1])
local current, floor = tonumber(g[1] or 0), tonumber(g[2] or 0)
if current > epoch or floor > epoch + 1 then return 0 end
if current == epoch and sound(KEYS[8], KEYS[9], KEYS[10]) then
  local messages = redis.call('LLEN', pending) + redis.call('ZCARD', leases) + redis.call('ZCARD', delayed) + redis.call('ZCARD', dead)
  if ARGV[2] ~= '1' or messages > 0 then return 0 end
end
redis.call('HDEL', KEYS[8], 'epoch')
redis.call('HSET', KEYS[8], 'floor', string.format('%d', epoch + 1))
return 1
`)

// stageScript: KEYS staged tickets, staged buyers; ARGV their TTL in ms, number of tickets,
// then for each ticket and record, then for each user and buyer.
var stageScript = redis.NewScript(`
local last = 2 + 2 * tonumber(ARGV[2])
for i = 3, last, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
for i = last + 1, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 'ok'
`)

// buildScript: KEYS the queue's, then gate, tickets, buyers, staged tickets, staged buyers;
// ARGV epoch, version, stock version, open, starts, ends, limit, cap, allotted, remaining,
// confirmed, rejected, returned, number of tickets, number of buyers. Replies 'ok'; 'there'
// if the gate has this epoch or a later one, or this one was retired; 'incomplete' if a
// part of the staged data is missing.
var buildScript = redis.NewScript(mq.ScriptPrelude + `
local gate, tickets, buyers, staged_tickets, staged_buyers = KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12]
local g, epoch = redis.call('HMGET', gate, 'epoch', 'floor'), tonumber(ARGV[1])
if tonumber(g[1] or 0) >= epoch or tonumber(g[2] or 0) > epoch then
  redis.call('UNLINK', staged_tickets, staged_buyers)
  return 'there'
end
if redis.call('HLEN', staged_tickets) ~= tonumber(ARGV[14]) or redis.call('HLEN', staged_buyers) ~= tonumber(ARGV[15]) then return 'incomplete' end
purge()
redis.call('UNLINK', gate, tickets, buyers)
local function publish(staged, name)
  if redis.call('EXISTS', staged) == 1 then
    redis.call('RENAME', staged, name)
    redis.call('PERSIST', name)
  end
end
publish(staged_tickets, tickets)
publish(staged_buyers, buyers)
redis.call('HSET', gate, 'epoch', ARGV[1], 'floor', ARGV[1], 'version', ARGV[2], 'stock', ARGV[3], 'open', ARGV[4],
  'starts', ARGV[5], 'ends', ARGV[6], 'limit', ARGV[7], 'cap', ARGV[8], 'allotted', ARGV[9], 'withheld', 0,
  'remaining', ARGV[10], 'confirmed', ARGV[11], 'rejected', ARGV[12], 'returned', ARGV[13], 'known', ARGV[14], 'customers', ARGV[15],
  'queued', 0, 'processing', 0, 'dead', 0, 'waiting', 0, 'working', 0, 'buried', 0)
return 'ok'
`)
