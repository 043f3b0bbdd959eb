package lock

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// remembered is how long a key's last fencing number outlives its lock, so that the
// next one is larger even if the server's clock was set back meanwhile, or a
// replica took over whose clock is behind.
const remembered = time.Minute

// A lock is one hash. Everything about it is in this one key, so each script works
// in a cluster.
//
//	token, until   the holder's claim and its end, in µs since 1970 on the
//	               server's clock; absent when free
//	fence          the last fencing number
//	w:<process>    "<ticket> <deadline>": a process that waits, since when its
//	               first waiter waits, and until when it counts without a sign of
//	               life; both in µs since 1970
//
// stepScript releases a claim, or takes the lock for one, or both in one step: so
// a key passes from holder to waiter in one round trip. Run twice it gives the
// same answer.
//
//	KEYS[1]  the lock
//	ARGV[1]  claim to release, or ""
//	ARGV[2]  claim that wants the lock, or "": the process waits no longer
//	ARGV[3]  time to live in ms
//	ARGV[4]  the process, or "" to leave its place among the waiters as it is
//	ARGV[5]  how long the claim has waited, in µs
//	ARGV[6]  how long the process counts as waiting, in µs; 0 when it does not wait
//	ARGV[7]  how long the hash outlives all that, in ms
//	ARGV[8]  prefix of the channels that wake a process
//	ARGV[9]  what to send there
//	reply    {released 0|1, granted 0|1, fence, µs until the holder's claim ends}
//
// Who has waited longest goes first: a free lock is refused to a claim while
// another process has waited longer, and that process is woken.
var stepScript = redis.NewScript(`
local key, wants, process = KEYS[1], ARGV[2], ARGV[4]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local lock, first, earliest, place = {}, nil, nil, 'w:' .. process
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if string.sub(name, 1, 2) ~= 'w:' then
    lock[name] = value
  elseif name == place then
    lock[name] = value
  else
    local ticket, deadline = string.match(value, '^(%d+) (%d+)$')
    if tonumber(deadline) <= now then
      redis.call('HDEL', key, name)
    elseif not earliest or tonumber(ticket) < earliest then
      first, earliest = string.sub(name, 3), tonumber(ticket)
    end
  end
end
local held = lock['token'] and tonumber(lock['until']) > now
local released = 0
if ARGV[1] ~= '' and lock['token'] == ARGV[1] then
  if held then released = 1 end
  redis.call('HDEL', key, 'token', 'until')
  held = false
end

local fence
if wants ~= '' then
  local ticket = now - ARGV[5]
  if held and lock['token'] == wants then
    fence = lock['fence']
  elseif not held and (not earliest or ticket <= earliest) then
    fence = string.format('%.0f', math.max(now, (lock['fence'] or 0) + 1))
  elseif ARGV[6] ~= '0' then
    redis.call('HSET', key, place, string.format('%.0f %.0f', ticket, now + ARGV[6]))
    redis.call('PEXPIRE', key, ARGV[3] + ARGV[7] + math.ceil(ARGV[6] / 1000))
  end
end
if lock[place] and (fence or wants == '') then
  redis.call('HDEL', key, place)
end
if fence then
  redis.call('HSET', key, 'token', wants, 'until', string.format('%.0f', now + ARGV[3] * 1000), 'fence', fence)
  redis.call('PEXPIRE', key, ARGV[3] + ARGV[7])
  return {released, 1, fence, 0}
end
if held then
  return {released, 0, '0', tonumber(lock['until']) - now}
end
if first then
  redis.call('PUBLISH', ARGV[8] .. first, ARGV[9])
end
return {released, 0, '0', 0}
`)

// extendScript lets a claim that still holds the lock live on.
//
//	KEYS[1]  the lock
//	ARGV[1]  the claim
//	ARGV[2]  time to live from now, in ms
//	ARGV[3]  how long the hash outlives that, in ms
//	reply    1, or 0 when the claim has ended or the lock is another's
var extendScript = redis.NewScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local held = redis.call('HMGET', KEYS[1], 'token', 'until')
if held[1] ~= ARGV[1] or tonumber(held[2]) <= now then
  return 0
end
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', now + ARGV[2] * 1000))
redis.call('PEXPIRE', KEYS[1], ARGV[2] + ARGV[3])
return 1
`)

// step is what one run of stepScript is asked to do.
type step struct {
	key string
	// process is the one that waits or waits no longer, "" to leave that as it is.
	process string
	// release and want are tokens, either may be empty.
	release, want string
	// waited is how long the claim behind want has waited.
	waited time.Duration
	// patience is how long it counts as waiting when it is refused, 0 for not.
	patience time.Duration
}

// stepped is the reply of stepScript.
type stepped struct {
	released, granted bool
	fence             int64
	// busyFor is how long the present holder's claim lives if it is not extended.
	busyFor time.Duration
}

func (l *Redis) lockName(key string) string { return l.prefix + "key:" + key }

// run is bounded by the locker's command time-out and does not end with ctx: a
// command that was sent has an outcome, and somebody has to take it.
func (l *Redis) run(ctx context.Context, s step) (stepped, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.commandTimeout)
	defer cancel()
	reply, err := stepScript.Run(ctx, l.client, []string{l.lockName(s.key)},
		s.release, s.want, l.ttl.Milliseconds(), s.process, s.waited.Microseconds(), s.patience.Microseconds(),
		remembered.Milliseconds(), l.channels, s.key).Slice()
	if err != nil {
		return stepped{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return readStepped(reply)
}

func readStepped(reply []any) (stepped, error) {
	if len(reply) != 4 {
		return stepped{}, fmt.Errorf("lock script replied %v", reply)
	}
	released, ok1 := reply[0].(int64)
	granted, ok2 := reply[1].(int64)
	text, ok3 := reply[2].(string)
	busy, ok4 := reply[3].(int64)
	fence, err := strconv.ParseInt(text, 10, 64)
	if !ok1 || !ok2 || !ok3 || !ok4 || err != nil {
		return stepped{}, fmt.Errorf("lock script replied %v", reply)
	}
	return stepped{released: released == 1, granted: granted == 1, fence: fence, busyFor: time.Duration(busy) * time.Microsecond}, nil
}

func (l *Redis) extend(ctx context.Context, key, token string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.commandTimeout)
	defer cancel()
	extended, err := extendScript.Run(ctx, l.client, []string{l.lockName(key)},
		token, l.ttl.Milliseconds(), remembered.Milliseconds()).Bool()
	if err != nil {
		return false, fmt.Errorf("extend lock %q: %w: %w", key, ErrUnavailable, err)
	}
	return extended, nil
}
