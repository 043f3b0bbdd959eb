package lock

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/clock"
)

// remembered is how long a key's last fencing number outlives its lock, so that the
// next one is larger even if the server's clock was set back meanwhile, or a
// replica took over whose clock is behind.
const remembered = time.Minute

// rememberedInLua begins each script: an argument would have to be sent every time.
var rememberedInLua = "local remembered = " + strconv.FormatInt(remembered.Milliseconds(), 10) + "\n"

// A lock is one string, because that is one read and one write a step, and everything
// about it is in this one key, so each script works in a cluster:
//
//	<fence> <until> <token>
//	<ticket> <deadline> <channel>
//	…
//
//	fence          the last fencing number; it stands alone when nobody holds the
//	               lock and nobody waits for it
//	until, token   the holder's claim and its end, in µs since 1970 on the server's
//	               clock; 0 and nothing when free
//	channel        that of a process that waits, since when its first waiter waits,
//	               and until when it counts without a sign of life; both in µs since
//	               1970
//
// stepScript releases a claim, or takes the lock for one, or both in one step: so
// a key passes from holder to waiter in one round trip. Run twice it gives the
// same answer.
//
//	KEYS[1]  the lock
//	ARGV[1]  claim to release, or ""
//	ARGV[2]  claim that wants the lock; "" when the process waits no longer; not given
//	         to leave its place among those who wait as it is
//	ARGV[3]  time to live in ms
//	ARGV[4]  the process's channel; who is to be woken is sent the lock's name
//	ARGV[5]  how long the claim has waited, in µs
//	ARGV[6]  how long the process counts as waiting, in µs; 0 when it does not wait
//	reply    {released 0|1, fence or 0 when not granted, µs until the holder's claim
//	         ends}; while no process waits, only the fence of what was free, or
//	         only 0|1 of what was released
//
// Who has waited longest goes first: a free lock is refused to a claim while
// another process has waited longer, and that process is woken. Numbers are exact
// in Lua below 2^53, which is the year 2255 in µs.
//
// The two cases of a lock that nobody waits for come first, because the server does
// nothing else while a script runs. A release keeps the life of the key, which is
// still the rest of the claim's and remembered.
var stepScript = redis.NewScript(rememberedInLua + `
local call, key, release, want = redis.call, KEYS[1], ARGV[1], ARGV[2]
local state = call('GET', key)
if not want and (not state or string.sub(state, -1 - #release) == ' ' .. release) then
  if not state then return 0 end
  call('SET', key, string.match(state, '^%d+'), 'KEEPTTL')
  return 1
end

local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local last = tonumber(state or 0)
if last and want and want ~= '' then
  local granted = now > last and now or last + 1
  call('SET', key, string.format('%d %d %s', granted, now + ARGV[3] * 1000, want), 'PX', ARGV[3] + remembered)
  return granted
end

local fence, ends, token, waiting, process = state or '0', '0', '', '', ARGV[4]
if not last then
  fence, ends, token, waiting = string.match(state, '^(%d+) (%d+) ([^\n]*)(.*)$')
end
local released = 0
if token ~= '' and (token == release or tonumber(ends) <= now) then
  if token == release and tonumber(ends) > now then released = 1 end
  ends, token = '0', ''
end
local others, mine, first, earliest = {}, '', nil, nil
for line, ticket, deadline, who in string.gmatch(waiting, '(\n(%d+) (%d+) ([^\n]+))') do
  if who == process then
    mine = line
  elseif tonumber(deadline) > now then
    others[#others + 1] = line
    if not earliest or tonumber(ticket) < earliest then
      first, earliest = who, tonumber(ticket)
    end
  end
end

local life, granted, busy = (ARGV[3] or 0) + remembered, 0, 0
if not want or want == '' then
  mine = ''
elseif token == want then
  granted, mine = tonumber(fence), ''
else
  local ticket = now - (ARGV[5] or 0)
  if token == '' and (not earliest or ticket <= earliest) then
    granted, mine = math.max(now, fence + 1), ''
    fence, ends, token = string.format('%d', granted), string.format('%d', now + ARGV[3] * 1000), want
  elseif process and ARGV[6] ~= '0' then
    mine = string.format('\n%d %d %s', ticket, now + ARGV[6], process)
    life = life + math.ceil(ARGV[6] / 1000)
  end
end
local changed, line = fence, mine .. table.concat(others)
if token ~= '' or line ~= '' then
  changed = fence .. ' ' .. ends .. ' ' .. token .. line
end
if changed ~= (state or '0') then
  call('SET', key, changed, 'PX', life)
end
if token == '' and first then
  call('PUBLISH', first, key)
elseif granted == 0 and token ~= '' then
  busy = ends - now
end
return {released, granted, busy}
`)

// extendScript lets a claim that still holds the lock live on.
//
//	KEYS[1]  the lock
//	ARGV[1]  the claim
//	ARGV[2]  time to live from now, in ms
//	reply    1, or 0 when the claim has ended or the lock is another's
var extendScript = redis.NewScript(rememberedInLua + `
local state = redis.call('GET', KEYS[1])
if not state then return 0 end
local fence, ends, token, waiting = string.match(state, '^(%d+) (%d+) ([^\n]*)(.*)$')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if token ~= ARGV[1] or tonumber(ends) <= now then return 0 end
ends = string.format('%d', now + ARGV[2] * 1000)
redis.call('SET', KEYS[1], fence .. ' ' .. ends .. ' ' .. token .. waiting, 'PX', ARGV[2] + remembered)
return 1
`)

// step is what one run of stepScript is asked to do.
type step struct {
	key string
	// process is the channel of the one that waits or waits no longer, "" to leave
	// that as it is.
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
	bounded := deadline{Context: context.WithoutCancel(ctx), at: clock.Mark().Add(l.commandTimeout)}
	reply, err := stepScript.Run(bounded, l.client, []string{l.lockName(s.key)}, l.arguments(s)...).Result()
	if err != nil {
		return stepped{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return readStepped(s, reply)
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

// arguments are as few as the step can do with: Redis takes time for each.
func (l *Redis) arguments(s step) []any {
	switch {
	case s.process != "":
		return []any{s.release, s.want, l.ttl.Milliseconds(), s.process, s.waited.Microseconds(), s.patience.Microseconds()}
	case s.want != "":
		return []any{s.release, s.want, l.ttl.Milliseconds()}
	default:
		return []any{s.release}
	}
}

func readStepped(s step, reply any) (stepped, error) {
	if only, ok := reply.(int64); ok {
		if s.want == "" {
			return stepped{released: only == 1}, nil
		}
		// What was free had nothing to release.
		return stepped{granted: true, fence: only}, nil
	}
	var numbers [3]int64
	all, _ := reply.([]any)
	ok := len(all) == len(numbers)
	for i := 0; ok && i < len(numbers); i++ {
		numbers[i], ok = all[i].(int64)
	}
	if !ok {
		return stepped{}, fmt.Errorf("lock script replied %v", reply)
	}
	return stepped{
		released: numbers[0] == 1, granted: numbers[1] > 0, fence: numbers[1],
		busyFor: time.Duration(numbers[2]) * time.Microsecond,
	}, nil
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
