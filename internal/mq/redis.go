package mq

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/clock"
)

const (
	// maxBatch bounds the messages of one claim, so that no script runs long.
	maxBatch = 1000
	// maxPush bounds the messages of one enqueue script.
	maxPush = 1000
	// settledTTL is how long the mark of a settled batch is stored, for callers that lost
	// the reply.
	settledTTL = time.Minute
)

// Options configure a broker. The zero value is valid.
type Options struct {
	Limits Limits
	// Observer receives measurements.
	Observer Observer
	// Clock stamps messages that have no EnqueuedTime; nil means the system clock.
	Clock clock.Clock
}

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.withDefaults()
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	return o
}

// Redis is the Broker over a single Redis, Sentinel or Redis Cluster. An acknowledged
// Enqueue is as durable as Redis: with appendfsync everysec a machine crash loses up to
// about one second.
type Redis struct {
	client  redis.UniversalClient
	prefix  string
	options Options
	wakers  wakers
	known   sync.Map // names that this process has registered
}

// NewRedis returns a Broker with keys that start with prefix. The client should not retry
// automatically: an enqueue that is sent twice adds its messages twice.
func NewRedis(client redis.UniversalClient, prefix string, options Options) *Redis {
	return &Redis{client: client, prefix: prefix, options: options.withDefaults()}
}

// Queue implements Broker.
func (r *Redis) Queue(name string) Queue { return r.Open(name) }

// Open is Queue with the concrete type, which provides the keys.
func (r *Redis) Open(name string) *RedisQueue {
	mustName(name)
	keys := redisKeys(r.prefix, name)
	return &RedisQueue{broker: r, name: name, keys: keys, list: keys.List(), waker: r.wakers.of(name)}
}

// Names implements Broker.
func (r *Redis) Names(ctx context.Context) ([]string, error) {
	names, err := r.client.SMembers(ctx, r.namesKey()).Result()
	if err != nil {
		return nil, fmt.Errorf("list the queues: %w", err)
	}
	slices.Sort(names)
	return names, nil
}

// Forget implements Broker.
func (r *Redis) Forget(ctx context.Context, name string) error {
	if err := r.client.SRem(ctx, r.namesKey(), name).Err(); err != nil {
		return fmt.Errorf("forget queue %s: %w", name, err)
	}
	r.known.Delete(name)
	r.wakers.forget(name)
	return nil
}

func (r *Redis) namesKey() string { return r.prefix + "queues" }

func (r *Redis) register(ctx context.Context, name string) error {
	if err := r.client.SAdd(ctx, r.namesKey(), name).Err(); err != nil {
		return fmt.Errorf("register queue %s: %w", name, err)
	}
	r.known.Store(name, true)
	return nil
}

func (r *Redis) registerOnce(ctx context.Context, name string) error {
	if _, ok := r.known.Load(name); ok {
		return nil
	}
	return r.register(ctx, name)
}
