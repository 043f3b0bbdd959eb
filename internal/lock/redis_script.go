package lock

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/clock"
)

// A lock is one string under one key, so every script works in a cluster. The key is
// deleted when the lock has neither holder nor waiters. Until the first process has to
// wait, the string is the holder's token, and the key expires when the holder's claim ends:
//
//	<token>
//
// Afterwards the string contains the complete state, and the key expires with the latest of
// its times. Times are in µs since 1970 on the server's clock:
//
//	<token> <end>
//	<since> <until> <channel>
//	…
//
//	token, end  the holder's token, which contains no space, and the end of its claim;
//	            "" and 0 when the lock is free
//	channel     a waiting process: since when its first waiter has waited, and until when
//	            the process counts as waiting if it sends no request
//
// A free lock is acquired by SET NX. lockScript does everything else: it releases a claim,
// grants the lock, or does both in one step, so that a lock passes from its holder to a
// waiter in one round trip. A repeated run returns the same reply.
//
//	KEYS[1]  the lock
//	ARGV[1]  token to release, or ""
//	ARGV[2]  token that requests the lock; "" when the process stopped waiting; absent
//	         to leave the waiters unchanged
//	ARGV[3]  TTL in ms
//	ARGV[4]  the process's channel; a woken process receives the name of the lock
//	ARGV[5]  how long the requesting claim has waited, in µs
//	ARGV[6]  how long the process counts as waiting, in µs; 0 when it does not wait
//	reply    1 if the lock was released, plus 2 if it was granted; if not granted, plus
//	         4 times the µs until the holder's claim ends
//
// The process that has waited longest goes first: the script does not grant a free lock to
// a claim while another process has waited longer, and wakes that process. Lua numbers are
// exact below 2^53; as µs, that is the year 2255.
//
// The script handles the case without waiters first and returns early, because Redis executes no
// other command during a script. A claim that was granted before, without a reply, gets a full TTL
// again, because its holder measures from the later request. The script reads the TTL before the
// clock, so that the computed end is not too early.
var lockScript = redis.NewScript(`
local call, key, release, want, process = redis.call, KEYS[1], ARGV[1], ARGV[2], ARGV[4]
local state = call('GET', key)
if state == release then
  if not want or want == '' then
    call('DEL', key)
    return 1
  end
  call('SET', key, want, 'PX', ARGV[3])
  return 3
end

local token, ends, waiting, left = '', nil, '', 0
if state then
  token, ends, waiting = string.match(state, '^([^ \n]*) (%d+)(.*)$')
  if not token then token, waiting, left = state, '', call('PTTL', key) end
end
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
ends = tonumber(ends or now + left * 1000)

local before, released, granted, busy = token, 0, 0, 0
if ends <= now then token = '' end
if token ~= '' and token == release then released, token = 1, '' end

local others, mine, first, earliest, last = {}, '', nil, nil, 0
for line, since, counts, channel in string.gmatch(waiting, '(\n(%d+) (%d+) ([^\n]+))') do
  since, counts = tonumber(since), tonumber(counts)
  if channel == process then
    mine, last = line, math.max(last, counts)
  elseif counts > now then
    others[#others + 1], last = line, math.max(last, counts)
    if not earliest or since < earliest then first, earliest = channel, since end
  end
end

local waited = ARGV[5] or 0
if not want or want == '' then
  mine = ''
elseif token == want or token == '' and (not earliest or now - waited <= earliest) then
  granted, mine, token, ends = 1, '', want, now + ARGV[3] * 1000
elseif process and ARGV[6] ~= '0' then
  mine, last = string.format('\n%d %d %s', now - waited, now + ARGV[6], process), math.max(last, now + ARGV[6])
end

local lines = mine .. table.concat(others)
if token == '' then ends = 0 end
if lines == '' and granted == 1 then
  call('SET', key, token, 'PX', ARGV[3])
elseif lines == '' and token == '' then
  if state then call('DEL', key) end
elseif lines ~= waiting or token ~= before or granted == 1 then
  call('SET', key, string.format('%s %d%s', token, ends, lines), 'PX', math.ceil((math.max(ends, last) - now) / 1000))
end
if token == '' and first then
  call('PUBLISH', first, key)
elseif granted == 0 and token ~= '' then
  busy = ends - now
end
return released + 2 * granted + 4 * busy
`)

// extendScript renews the TTL of a claim that still holds its lock.
//
//	KEYS[1]  the lock
//	ARGV[1]  the holder's token
//	ARGV[2]  time to live from now, in ms
//	reply    1, or 0 when the claim has ended or another claim holds the lock
var extendScript = redis.NewScript(`
local state = redis.call('GET', KEYS[1])
if state == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local token, ends, waiting = string.match(state or '', '^([^ \n]*) (%d+)(.*)$')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if token ~= ARGV[1] or tonumber(ends) <= now then return 0 end
redis.call('SET', KEYS[1], string.format('%s %d%s', token, now + ARGV[2] * 1000, waiting),
  'PX', math.max(tonumber(ARGV[2]), redis.call('PTTL', KEYS[1])))
return 1
`)

// lockCommand is the input of one run of lockScript.
type lockCommand struct {
	key string
	// process is the channel of the process that starts or stops waiting, "" to leave the
	// waiters unchanged.
	process string
	// release and want are tokens; either may be empty.
	release, want string
	// waited is how long the claim of the want token has waited.
	waited time.Duration
	// waiterTTL is how long the process counts as waiting if want is not granted; 0 if it
	// does not wait.
	waiterTTL time.Duration
}

// lockReply is the decoded reply of lockScript.
type lockReply struct {
	released, granted bool
	// busyFor is the time until the current holder's claim ends if it is not extended.
	busyFor time.Duration
}

func (l *Redis) lockName(key string) string { return l.prefix + "lock:" + key }

// run executes lockScript. It is bounded by the command time-out of the locker and ignores the
// cancellation of ctx: a command that was sent has an outcome, and the caller must handle it.
func (l *Redis) run(ctx context.Context, command lockCommand) (lockReply, error) {
	reply, err := lockScript.Run(l.bounded(ctx), l.client, []string{l.lockName(command.key)}, l.arguments(command)...).Int64()
	if err != nil {
		return lockReply{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return lockReply{released: reply&1 != 0, granted: reply&2 != 0, busyFor: time.Duration(reply/4) * time.Microsecond}, nil
}

// acquireFree acquires a lock without holder and waiters. It is bounded like run.
func (l *Redis) acquireFree(ctx context.Context, key, token string) (taken bool, err error) {
	taken, err = l.client.SetNX(l.bounded(ctx), l.lockName(key), token, l.ttl).Result()
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return taken, nil
}

func (l *Redis) bounded(ctx context.Context) context.Context {
	return deadline{Context: context.WithoutCancel(ctx), at: clock.Mark().Add(l.commandTimeout)}
}

// deadline is a context that bounds reads and writes and is never done. It needs no timer;
// otherwise each lock would start and stop one per command. The client bounds dialling and
// waiting for a connection.
type deadline struct {
	context.Context
	at time.Time
}

// Deadline implements context.Context.
func (d deadline) Deadline() (time.Time, bool) { return d.at, true }

// arguments returns only the arguments that the command needs: Redis spends time on each.
func (l *Redis) arguments(command lockCommand) []any {
	switch {
	case command.process != "":
		return []any{
			command.release, command.want, l.ttl.Milliseconds(),
			command.process, command.waited.Microseconds(), command.waiterTTL.Microseconds(),
		}
	case command.want != "":
		return []any{command.release, command.want, l.ttl.Milliseconds()}
	default:
		return []any{command.release}
	}
}

func (l *Redis) extend(ctx context.Context, key, token string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.commandTimeout)
	defer cancel()
	extended, err := extendScript.Run(ctx, l.client, []string{l.lockName(key)},
		token, l.ttl.Milliseconds()).Bool()
	if err != nil {
		return false, fmt.Errorf("extend lock %q: %w: %w", key, ErrUnavailable, err)
	}
	return extended, nil
}
