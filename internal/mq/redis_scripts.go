package mq

import "github.com/redis/go-redis/v9"

// ScriptPrelude is the start of every script on a queue, including scripts of other packages that
// combine a queue operation with changes of other keys in one step. The first keys of a script are
// RedisKeys.List; its other keys follow. Times are the server's, in µs since 1970. The prelude
// defines, for the queue:
//
//	now()             the server's time
//	id_of(raw)        the ID of an encoded message, nil for undecodable bytes
//	retry_dead(id)    makes a dead message pending with counters of 0; returns whether it existed
//	discard_dead(id)  removes a dead message; returns whether it existed
//	purge()           removes every message, including claimed and dead ones
//
// The key of a batch's list is the prefix KEYS[7] and the batch ID from leases; it has the same
// hash tag, as a cluster requires.
//
// Every script of this package except push may be run again with the same arguments after a
// lost reply: it detects the effect of the first run.
const ScriptPrelude = `
local pending, delayed = KEYS[1], KEYS[2]
local dead, dead_messages, dead_errors = KEYS[3], KEYS[4], KEYS[5]
local leases, batches = KEYS[6], KEYS[7]

local function now()
  local t = redis.call('TIME')
  return t[1] * 1000000 + t[2]
end

-- Makes the delayed messages pending whose time has come.
local function promote(at)
  local due = redis.call('ZRANGEBYSCORE', delayed, '-inf', at, 'LIMIT', 0, 1000)
  if #due > 0 then
    redis.call('RPUSH', pending, unpack(due))
    redis.call('ZREMRANGEBYRANK', delayed, 0, #due - 1)
  end
end

-- Returns attempts and crashes, or nil when the bytes are no message.
local function counters(raw)
  local version, a, b, c, d = string.byte(raw, 1, 5)
  if version ~= 1 or #raw < 15 then return nil end
  return a * 256 + b, c * 256 + d
end

local function id_of(raw)
  if not counters(raw) then return nil end
  local high, low = string.byte(raw, 14, 15)
  return string.sub(raw, 16, 15 + high * 256 + low)
end

local function bury(id, raw, err, at)
  local last = redis.call('ZREVRANGE', dead, 0, 0, 'WITHSCORES')[2]
  if last and tonumber(last) >= at then at = last + 1 end
  redis.call('ZADD', dead, at, id)
  redis.call('HSET', dead_messages, id, raw)
  redis.call('HSET', dead_errors, id, err)
end

local function discard_dead(id)
  redis.call('ZREM', dead, id)
  redis.call('HDEL', dead_errors, id)
  return redis.call('HDEL', dead_messages, id) == 1
end

local function retry_dead(id)
  local raw = redis.call('HGET', dead_messages, id)
  if not raw then return false end
  discard_dead(id)
  if counters(raw) then raw = '\1\0\0\0\0' .. string.sub(raw, 6) end
  redis.call('RPUSH', pending, raw)
  return true
end

local function purge()
  for _, id in ipairs(redis.call('ZRANGE', leases, 0, -1)) do redis.call('UNLINK', batches .. id) end
  redis.call('UNLINK', pending, delayed, dead, dead_messages, dead_errors, leases)
end

-- Puts a list at the head of pending, in its order.
local function to_head(list)
  if #list == 0 then return end
  local reversed = {}
  for i = #list, 1, -1 do reversed[#reversed + 1] = list[i] end
  redis.call('LPUSH', pending, unpack(reversed))
end
`

func script(body string) *redis.Script { return redis.NewScript(ScriptPrelude + body) }

var (
	// pushScript appends messages.
	//
	//	ARGV  encoded messages
	pushScript = script(`return redis.call('RPUSH', pending, unpack(ARGV))`)

	// claimScript moves messages from the head to a batch and registers its lease. With a
	// rate it moves at most the number that the rate allows, see bucket.
	//
	//	KEYS[8]  the batch's list
	//	KEYS[9]  the time until which the rate is used up, in µs; only with a rate
	//	ARGV     batch ID, limit, lease in µs, the suspect limit; the rate in messages per
	//	         second, absent for none
	//	reply    the encoded messages; or the µs until the rate allows the next claim
	claimScript = script(`
local batch, id, limit, suspect = KEYS[8], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
local each, full, used
local function paced(n, at)
  each = 1000000 / ARGV[5]
  full = math.ceil(math.max(each, 100000))
  used = tonumber(redis.call('GET', KEYS[9]) or 0)
  if used > at + full then used = 0 end
  used = math.max(math.min(used, at), at - full)
  local enough = math.max(1, math.min(n, math.floor(full / each / 2)))
  local allowed = math.min(n, math.floor((at - used) / each))
  if allowed >= enough then return allowed, 0 end
  return 0, math.max(1, math.ceil(enough * each) - (at - used))
end
if redis.call('ZSCORE', leases, id) then return redis.call('LRANGE', batch, 0, -1) end
local at = now()
promote(at)
local head = redis.call('LRANGE', pending, 0, limit - 1)
local n = #head
if n == 0 then return head end
if ARGV[5] then
  local wait
  n, wait = paced(n, at)
  if n == 0 then return wait end
end
for i = 1, n do
  local attempts, crashes = counters(head[i])
  if attempts and attempts + crashes >= suspect then
    n = math.max(i - 1, 1)
    break
  end
end
for i = #head, n + 1, -1 do head[i] = nil end
redis.call('RPUSH', batch, unpack(head))
redis.call('LTRIM', pending, n, -1)
redis.call('ZADD', leases, at + ARGV[3], id)
if ARGV[5] then
  redis.call('SET', KEYS[9], string.format('%d', used + math.ceil(n * each)), 'PX', 1000 + math.ceil(full / 1000))
end
return head
`)

	// buryScript removes undecodable messages from a claimed batch.
	//
	//	KEYS[8]   the batch's list
	//	ARGV[1]   batch ID
	//	ARGV[2…]  for each message: bytes, ID of the dead message, error
	buryScript = script(`
local batch, id = KEYS[8], ARGV[1]
if not redis.call('ZSCORE', leases, id) then return 0 end
for i = 2, #ARGV, 3 do
  if redis.call('LREM', batch, 1, ARGV[i]) == 1 then
    bury(ARGV[i + 1], ARGV[i], ARGV[i + 2], now())
  end
end
if redis.call('EXISTS', batch) == 0 then redis.call('ZREM', leases, id) end
return 1
`)

	// extendScript moves the end of a lease.
	//
	//	ARGV   batch ID, lease in µs from now
	//	reply  1, or 0 when the lease does not exist
	extendScript = script(`
if not redis.call('ZSCORE', leases, ARGV[1]) then return 0 end
redis.call('ZADD', leases, now() + ARGV[2], ARGV[1])
return 1
`)

	// settleScript ends a lease, deletes its batch and moves each message by its outcome.
	// If all outcomes are Done, its cost does not depend on the size of the batch.
	//
	//	KEYS[8]   the batch's list
	//	KEYS[9]  the mark that the batch was settled
	//	ARGV[1…6] batch ID, TTL of the mark in ms; number of messages for the tail, the head,
	//	          the delayed and the dead
	//	ARGV[7…]  tail: message; head: message; delayed: delay in µs, message;
	//	          dead: ID, message, error
	//	reply     2 settled now, 1 settled before, 0 the lease does not exist
	settleScript = script(`
local batch, settled, id = KEYS[8], KEYS[9], ARGV[1]
if redis.call('ZREM', leases, id) == 0 then return redis.call('EXISTS', settled) end
redis.call('UNLINK', batch)
redis.call('SET', settled, 1, 'PX', ARGV[2])
if #ARGV == 6 then return 2 end
local at, i = now(), 7
for _ = 1, ARGV[3] do
  redis.call('RPUSH', pending, ARGV[i])
  i = i + 1
end
local head = {}
for _ = 1, ARGV[4] do
  head[#head + 1] = ARGV[i]
  i = i + 1
end
to_head(head)
for _ = 1, ARGV[5] do
  redis.call('ZADD', delayed, at + ARGV[i], ARGV[i + 1])
  i = i + 2
end
for _ = 1, ARGV[6] do
  bury(ARGV[i], ARGV[i + 1], ARGV[i + 2], at)
  i = i + 3
end
return 2
`)

	// reapScript makes due messages pending and returns batches with expired leases. The
	// batch claimed first ends up in front: batch IDs ascend with time.
	//
	//	ARGV   crash limit, error of messages that reach it
	//	reply  {returned to pending, dead, active leases}
	reapScript = script(`
local limit = tonumber(ARGV[1])
local at = now()
promote(at)
local ended = redis.call('ZRANGEBYSCORE', leases, '-inf', at, 'LIMIT', 0, 100)
table.sort(ended)
local returned, died = 0, 0
for k = #ended, 1, -1 do
  local batch = batches .. ended[k]
  local back = {}
  local held = redis.call('LRANGE', batch, 0, -1)
  for _, raw in ipairs(held) do
    local attempts, crashes = counters(raw)
    if attempts then
      crashes = math.min(crashes + 1, 65535)
      raw = string.sub(raw, 1, 3) .. string.char(math.floor(crashes / 256), crashes % 256) .. string.sub(raw, 6)
    end
    if attempts and crashes >= limit then
      bury(id_of(raw), raw, ARGV[2], at)
      died = died + 1
    else
      back[#back + 1] = raw
    end
  end
  to_head(back)
  returned = returned + #back
  redis.call('UNLINK', batch)
  redis.call('ZREM', leases, ended[k])
end
return {returned, died, redis.call('ZCARD', leases)}
`)

	// statsScript returns {pending, claimed, delayed, dead, age of the oldest pending
	// message in µs}. The number of batches is small, at most one per running handler.
	statsScript = script(`
local age, head, claimed = 0, redis.call('LINDEX', pending, 0), 0
if head and counters(head) then
  local time = 0
  for i = 6, 13 do time = time * 256 + string.byte(head, i) end
  age = math.max(0, now() - time)
end
for _, id in ipairs(redis.call('ZRANGE', leases, 0, -1)) do claimed = claimed + redis.call('LLEN', batches .. id) end
return {redis.call('LLEN', pending), claimed, redis.call('ZCARD', delayed), redis.call('ZCARD', dead), age}
`)

	// deadScript lists dead messages.
	//
	//	ARGV   exclusive lower bound of the dead time, limit
	//	reply  for each: ID, dead time, encoded message, error
	deadScript = script(`
local page = redis.call('ZRANGEBYSCORE', dead, '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
local reply = {}
for i = 1, #page, 2 do
  reply[#reply + 1] = page[i]
  reply[#reply + 1] = page[i + 1]
  reply[#reply + 1] = redis.call('HGET', dead_messages, page[i]) or ''
  reply[#reply + 1] = redis.call('HGET', dead_errors, page[i]) or ''
end
return reply
`)

	// pendingIDsScript lists the IDs of a range of pending.
	//
	//	ARGV  first and last index, counted from the tail: -1 is the last message
	pendingIDsScript = script(`
local ids = {}
for _, raw in ipairs(redis.call('LRANGE', pending, ARGV[1], ARGV[2])) do ids[#ids + 1] = id_of(raw) or '' end
return ids
`)

	// otherIDsScript lists the IDs of claimed, delayed and dead messages.
	otherIDsScript = script(`
local ids = redis.call('ZRANGE', dead, 0, -1)
local function add(list) for _, raw in ipairs(list) do ids[#ids + 1] = id_of(raw) or '' end end
for _, batch in ipairs(redis.call('ZRANGE', leases, 0, -1)) do add(redis.call('LRANGE', batches .. batch, 0, -1)) end
add(redis.call('ZRANGE', delayed, 0, -1))
return ids
`)
)
