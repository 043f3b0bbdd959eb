package flashsale

import "github.com/redis/go-redis/v9"

// The gate of a sale in Redis, all keys under the hash tag of its queue:
//
//	gate     HASH: epoch, the rules, and the counters of Counts
//	tickets  HASH: ticket → state|units|user|accepted µs|ahead|order id|order no|reason
//	buyers   HASH: user → units held|latest ticket
//	pending  the queue's own list, see mq.RedisKeys
//
// States are letters: q queued, p processing, d dead, c confirmed, r rejected,
// x cancelled.

// luaClock defines now in µs, the argument or, when that is 0, the server's time; and
// tick, which adds units to the counters of the second, eight of which are kept.
const luaClock = `
local function clock(given)
  if given ~= '0' then return tonumber(given) end
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

// admitScript: KEYS gate, tickets, buyers, pending; ARGV now in µs or 0, then for each
// purchase epoch, ticket, user, units, message. They are let in one after the other.
// Replies for each:
//
//	{'no_gate'}
//	{'known', record}
//	{'not_open'} {'not_started'} {'ended'} {'queue_full'}
//	{'limit_reached', held, ticket}
//	{'sold_out', remaining}
//	{'accepted', record}
//
// Each key is read once and written once, however many the purchases are: a command
// inside a script costs the server about a microsecond, and each write another for the
// append-only file.
var admitScript = redis.NewScript(luaClock + `
local now = clock(ARGV[1])
local second = string.format('%d', math.floor(now / 1000000))
local slot = tonumber(second) % 8
local at, an = 'at' .. slot, 'an' .. slot
local g = redis.call('HMGET', KEYS[1], 'epoch', 'open', 'starts', 'ends', 'limit', 'cap', 'remaining', 'waiting', 'queued', at, an)
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
local remaining, waiting, sold = tonumber(g[7]), tonumber(g[8]), 0
local newTickets, newBuyers, messages = {}, {}, {}
local function admit(epoch, ticket, user, units, message)
  if not g[1] or g[1] ~= epoch then return {'no_gate'} end
  if known[ticket] then return {'known', known[ticket]} end
  if g[2] ~= '1' then return {'not_open'} end
  if now < starts then return {'not_started'} end
  if now >= ends then return {'ended'} end
  local held, latest = 0, ''
  if buyers[user] then
    local n, t = string.match(buyers[user], '^(%d+)|(.*)$')
    held, latest = tonumber(n), t
  end
  if held + units > limit then return {'limit_reached', string.format('%d', held), latest} end
  if remaining < units then return {'sold_out', string.format('%d', remaining)} end
  if cap > 0 and waiting >= cap then return {'queue_full'} end
  local record = string.format('q|%d|%s|%d|%d|0||', units, user, now, math.max(0, waiting))
  known[ticket] = record
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
    'waiting', string.format('%d', waiting), at, second, an, string.format('%d', ticked + sold))
  redis.call('HSET', KEYS[2], unpack(newTickets))
  redis.call('HSET', KEYS[3], unpack(newBuyers))
  redis.call('RPUSH', KEYS[4], unpack(messages))
end
return replies
`)

// moveScript: KEYS gate, tickets, buyers; ARGV epoch, now in µs or 0, then for each
// step ticket, from (letters), to (letter), order id, order no, reason. Replies
// {'no_gate'} or {'ok', record or ”, …}.
//
// All tickets are read by one command and written by one, and the counters are moved by
// what all steps together come to.
var moveScript = redis.NewScript(luaClock + `
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return {'no_gate'} end
local place = {q = 'queued', p = 'processing', d = 'dead', c = 'confirmed', r = 'remaining', x = 'remaining'}
local now = clock(ARGV[2])
local asked, records, changed, delta, confirmed = {}, {}, {}, {}, 0
for i = 3, #ARGV, 6 do asked[#asked + 1] = ARGV[i] end
if #asked > 0 then
  for i, record in ipairs(redis.call('HMGET', KEYS[2], unpack(asked))) do records[asked[i]] = record end
end
local function move(field, units) delta[field] = (delta[field] or 0) + units end
local reply = {'ok'}
for i = 3, #ARGV, 6 do
  local ticket, to = ARGV[i], ARGV[i + 2]
  local record = records[ticket]
  if record then
    local from, units, user, at, ahead, id, no, why = string.match(record, '^(%a)|(%d+)|(%d+)|(%d+)|(%d+)|(%d+)|([^|]*)|(.*)$')
    if string.find(ARGV[i + 1], from, 1, true) and from ~= to then
      if ARGV[i + 3] ~= '0' then id = ARGV[i + 3] end
      if ARGV[i + 4] ~= '' then no = ARGV[i + 4] end
      if ARGV[i + 5] ~= '' then why = ARGV[i + 5] end
      record = table.concat({to, units, user, at, ahead, id, no, why}, '|')
      records[ticket] = record
      changed[#changed + 1] = ticket
      units = tonumber(units)
      move(place[from], -units)
      move(place[to], units)
      if from == 'q' then move('waiting', -1) end
      if to == 'q' then move('waiting', 1) end
      if to == 'c' then confirmed = confirmed + units end
      if to == 'r' or to == 'x' then
        move(to == 'r' and 'rejected' or 'returned', units)
        local buyer = redis.call('HGET', KEYS[3], user)
        if buyer then
          local held, latest = string.match(buyer, '^(%d+)|(.*)$')
          redis.call('HSET', KEYS[3], user, string.format('%d', math.max(0, tonumber(held) - units)) .. '|' .. latest)
        end
      end
    end
  end
  reply[#reply + 1] = record or ''
end
if #changed > 0 then
  local fields = {}
  for _, ticket in ipairs(changed) do
    fields[#fields + 1] = ticket
    fields[#fields + 1] = records[ticket]
  end
  redis.call('HSET', KEYS[2], unpack(fields))
end
for field, units in pairs(delta) do
  if units ~= 0 then redis.call('HINCRBY', KEYS[1], field, string.format('%d', units)) end
end
if confirmed > 0 then tick(KEYS[1], 'c', now, string.format('%d', confirmed)) end
return reply
`)

// adoptScript: KEYS gate, tickets, buyers; ARGV epoch, then for each ticket and record.
// Replies 'no_gate' or how many were taken in.
var adoptScript = redis.NewScript(`
local g = redis.call('HMGET', KEYS[1], 'epoch', 'remaining')
if g[1] ~= ARGV[1] then return 'no_gate' end
local remaining, adopted = tonumber(g[2]), 0
for i = 2, #ARGV, 2 do
  local state, units, user = string.match(ARGV[i + 1], '^(%a)|(%d+)|(%d+)|')
  local known = redis.call('HEXISTS', KEYS[2], ARGV[i]) == 1
  if not known and (state == 'x' or tonumber(units) <= remaining) then
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
    adopted = adopted + 1
    if state == 'x' then
      redis.call('HINCRBY', KEYS[1], 'returned', units)
    else
      remaining = remaining - tonumber(units)
      redis.call('HINCRBY', KEYS[1], 'remaining', -tonumber(units))
      redis.call('HINCRBY', KEYS[1], 'confirmed', units)
      local held, latest = '0', ARGV[i]
      local buyer = redis.call('HGET', KEYS[3], user)
      if buyer then held, latest = string.match(buyer, '^(%d+)|(.*)$') end
      redis.call('HSET', KEYS[3], user, string.format('%d', tonumber(held) + tonumber(units)) .. '|' .. latest)
    end
  end
end
return string.format('%d', adopted)
`)

// applyScript: KEYS gate; ARGV epoch, version, stock version, open, starts, ends,
// limit, cap, allotted. Replies 'no_gate' or 'ok'.
var applyScript = redis.NewScript(`
local g = redis.call('HMGET', KEYS[1], 'epoch', 'version', 'stock', 'allotted')
if g[1] ~= ARGV[1] then return 'no_gate' end
if tonumber(ARGV[2]) >= tonumber(g[2]) then
  redis.call('HSET', KEYS[1], 'version', ARGV[2], 'open', ARGV[4], 'starts', ARGV[5], 'ends', ARGV[6], 'limit', ARGV[7], 'cap', ARGV[8])
end
if tonumber(ARGV[3]) >= tonumber(g[3]) then
  redis.call('HSET', KEYS[1], 'stock', ARGV[3], 'allotted', ARGV[9])
  redis.call('HINCRBY', KEYS[1], 'remaining', tonumber(ARGV[9]) - tonumber(g[4]))
end
return 'ok'
`)

// shrinkScript: KEYS gate; ARGV epoch, units. Replies 'no_gate', 'too_few' or 'ok'.
var shrinkScript = redis.NewScript(`
local g = redis.call('HMGET', KEYS[1], 'epoch', 'remaining')
if g[1] ~= ARGV[1] then return 'no_gate' end
if tonumber(g[2]) < tonumber(ARGV[2]) then return 'too_few' end
redis.call('HINCRBY', KEYS[1], 'remaining', -tonumber(ARGV[2]))
redis.call('HINCRBY', KEYS[1], 'allotted', -tonumber(ARGV[2]))
return 'ok'
`)

// ticketScript: KEYS gate, tickets; ARGV epoch, ticket. Replies {'no_gate'} or
// {'ok', record or ” when there is none}.
var ticketScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return {'no_gate'} end
return {'ok', redis.call('HGET', KEYS[2], ARGV[2]) or ''}
`)

// countsScript: KEYS gate; ARGV now in µs or 0. Replies {now, name, value, …}.
var countsScript = redis.NewScript(luaClock + `
local reply = redis.call('HGETALL', KEYS[1])
table.insert(reply, 1, string.format('%d', clock(ARGV[1])))
return reply
`)

// buildScript: KEYS gate, tickets, buyers; ARGV epoch, version, stock version, open,
// starts, ends, limit, cap, allotted, remaining, confirmed, returned, number of
// tickets, then for each ticket and record, then for each user and buyer. Replies
// 'ok', or 'there' when the gate has this epoch or a later one.
var buildScript = redis.NewScript(`
local epoch = redis.call('HGET', KEYS[1], 'epoch')
if epoch and tonumber(epoch) >= tonumber(ARGV[1]) then return 'there' end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
local last = 13 + 2 * tonumber(ARGV[13])
for i = 14, last, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
for i = last + 1, #ARGV, 2 do redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1]) end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'version', ARGV[2], 'stock', ARGV[3], 'open', ARGV[4],
  'starts', ARGV[5], 'ends', ARGV[6], 'limit', ARGV[7], 'cap', ARGV[8], 'allotted', ARGV[9],
  'remaining', ARGV[10], 'confirmed', ARGV[11], 'returned', ARGV[12],
  'queued', 0, 'processing', 0, 'dead', 0, 'rejected', 0, 'waiting', 0)
return 'ok'
`)
