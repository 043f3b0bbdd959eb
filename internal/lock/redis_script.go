package lock

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/clock"
)

// A lock is one string under one key, so every script works in a cluster. The key is
// gone when nobody holds the lock and nobody waits for it. Until the first process has
// to wait for it, the string is the holder's token, and the key expires when the
// holder's claim ends:
//
//	<token>
//
// From then on the string holds all that there is to know, and the key expires with
// the last of its times. They are in µs since 1970 on the server's clock:
//
//	<token> <end>
//	<since> <until> <channel>
//	…
//
//	token, end  the holder's token, in which is no space, and the end of its claim;
//	            nothing and 0 when the lock is free
//	channel     a process that waits: since when its first waiter has waited, and until
//	            when the process counts as waiting if it does not ask again
//
// A free lock is taken by SET NX. Everything else is lockScript, which releases a
// claim, or grants the lock to one, or does both in one step, so that a lock passes
// from its holder to a waiter in one round trip. Run twice it gives the same answer.
//
//	KEYS[1]  the lock
//	ARGV[1]  token to release, or ""
//	ARGV[2]  token that wants the lock; "" when the process no longer waits; left out
//	         to change nothing about who waits
//	ARGV[3]  time to live in ms
//	ARGV[4]  the process's channel; the process to be woken is sent the lock's name
//	ARGV[5]  how long the wanting claim has waited, in µs
//	ARGV[6]  how long the process counts as waiting, in µs; 0 when it does not wait
//	reply    1 when the lock was released, plus 2 when it was granted, plus 4 times the
//	         µs until the holder's claim ends when it was not
//
// The process that has waited longest goes first: a free lock is refused to a claim
// while another process has waited longer, and that process is woken. Numbers are
// exact in Lua below 2^53, which is the year 2255 in µs.
//
// The case without waiters comes first, because the server does nothing else while a
// script runs. A claim that was granted before, and whose reply was lost, is granted
// its whole life again, because its holder counts from the later question. The time to
// live is read before the clock, so that the end is not too early.
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

// extendScript starts the life of a claim again that still holds the lock.
//
//	KEYS[1]  the lock
//	ARGV[1]  the holder's token
//	ARGV[2]  time to live from now, in ms
//	reply    1, or 0 when the claim has ended or the lock is another's
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

// lockCommand is what one run of lockScript is asked to do.
type lockCommand struct {
	key string
	// process is the channel of the process that waits or waits no longer, "" to change
	// nothing about that.
	process string
	// release and want are tokens; either may be empty.
	release, want string
	// waited is how long the claim behind want has waited.
	waited time.Duration
	// waiterTTL is how long the process counts as waiting when want is refused; 0 when
	// it does not wait.
	waiterTTL time.Duration
}

// lockReply is what lockScript answers.
type lockReply struct {
	released, granted bool
	// busyFor is how long the present holder's claim lives if it is not extended.
	busyFor time.Duration
}

func (l *Redis) lockName(key string) string { return l.prefix + "lock:" + key }

// run is bounded by the locker's command time-out and does not end with ctx: a
// command that was sent has an outcome, and somebody has to take it.
func (l *Redis) run(ctx context.Context, command lockCommand) (lockReply, error) {
	reply, err := lockScript.Run(l.bounded(ctx), l.client, []string{l.lockName(command.key)}, l.arguments(command)...).Int64()
	if err != nil {
		return lockReply{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return lockReply{released: reply&1 != 0, granted: reply&2 != 0, busyFor: time.Duration(reply/4) * time.Microsecond}, nil
}

// takeFree takes a lock that nobody holds or waits for. It is bounded as run is.
func (l *Redis) takeFree(ctx context.Context, key, token string) (taken bool, err error) {
	taken, err = l.client.SetNX(l.bounded(ctx), l.lockName(key), token, l.ttl).Result()
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return taken, nil
}

func (l *Redis) bounded(ctx context.Context) context.Context {
	return deadline{Context: context.WithoutCancel(ctx), at: clock.Mark().Add(l.commandTimeout)}
}

// deadline is a context that bounds reads and writes and is never done, so it needs
// no timer: a lock would start and stop one for each command. Dialling and waiting
// for a connection are bounded by the client.
type deadline struct {
	context.Context
	at time.Time
}

// Deadline implements context.Context.
func (d deadline) Deadline() (time.Time, bool) { return d.at, true }

// arguments are as few as the command can do with: Redis takes time for each.
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
