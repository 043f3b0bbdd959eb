package ratelimit

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// allowScript is cell.decide on the server's clock.
//
//	KEYS[1]  TAT in µs since 1970; expires when the key is refilled
//	ARGV[1]  emission interval in µs
//	ARGV[2]  depth in µs
//	reply    {allowed 0|1, remaining, retry after in µs, reset after in µs}
//
// It is not idempotent: run twice for one request, it charges twice.
var allowScript = redis.NewScript(`
local interval, depth = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stored = tonumber(redis.call('GET', KEYS[1]) or now)
local tat = math.min(math.max(stored, now), now + depth)
local early = tat + interval - depth - now
local allowed, remaining = 0, 0
if early <= 0 then
  allowed, early = 1, 0
  tat = tat + interval
  remaining = math.floor((now + depth - tat) / interval)
end
if tat ~= stored then
  redis.call('SET', KEYS[1], string.format('%.0f', tat), 'PX', math.ceil((tat - now) / 1000))
end
return {allowed, remaining, early, tat - now}
`)

// Redis is the Limiter of many processes, with one Redis key per limited key. It uses the
// clock of Redis.
type Redis struct {
	client redis.UniversalClient
	prefix string
}

// NewRedis returns a Limiter whose keys in Redis start with prefix.
func NewRedis(client redis.UniversalClient, prefix string) *Redis {
	return &Redis{client: client, prefix: prefix}
}

// Allow implements Limiter. If a reply is lost and the client retries the command, the
// request may be charged twice; it is never free.
func (l *Redis) Allow(ctx context.Context, key string, limit Limit) (Decision, error) {
	c, err := admissible(ctx, key, limit)
	if err != nil {
		return Decision{}, err
	}
	reply, err := allowScript.Run(ctx, l.client, []string{l.prefix + key}, c.interval, c.depth).Int64Slice()
	if err != nil {
		return Decision{}, fmt.Errorf("run rate limit script: %w", err)
	}
	if len(reply) != 4 {
		return Decision{}, fmt.Errorf("rate limit script replied %v", reply)
	}
	return Decision{
		Allowed:    reply[0] == 1,
		Remaining:  int(reply[1]),
		RetryAfter: micros(reply[2]),
		ResetAfter: micros(reply[3]),
	}, nil
}
