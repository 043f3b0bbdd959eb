package main

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"interlock/internal/lock"
)

const (
	ttl = 10 * time.Second
	// wait exceeds any measurement.
	wait = time.Hour
)

// subject is one way to lock.
type subject struct {
	name    string
	acquire func(ctx context.Context, key string) (release func() error, err error)
}

// newSubjects returns this program's lock first.
func newSubjects(client redis.UniversalClient) (subjects []subject, end func()) {
	own := lock.NewRedis(client, lock.RedisOptions{Prefix: "bench:own:", Channels: "bench:own:", TTL: ttl})
	sync := redsync.New(goredis.NewPool(client))
	locker := redislock.New(client)
	return []subject{
		{"interlock", func(ctx context.Context, key string) (func() error, error) {
			lease, err := own.Acquire(ctx, wait, key)
			if err != nil {
				return nil, err
			}
			return func() error { return lease.Release(context.WithoutCancel(ctx)) }, nil
		}},
		{"redsync", func(ctx context.Context, key string) (func() error, error) {
			// Default pauses, random between 50 and 250 ms; only the number of tries is
			// unlimited.
			mutex := sync.NewMutex("bench:redsync:"+key, redsync.WithExpiry(ttl), redsync.WithTries(1<<30))
			if err := mutex.LockContext(ctx); err != nil {
				return nil, err
			}
			return func() error {
				if ok, err := mutex.UnlockContext(context.WithoutCancel(ctx)); err != nil || !ok {
					return errors.Join(err, errors.New("not unlocked"))
				}
				return nil
			}, nil
		}},
		{"redislock", func(ctx context.Context, key string) (func() error, error) {
			// The pauses that its documentation shows.
			held, err := locker.Obtain(ctx, "bench:redislock:"+key, ttl, &redislock.Options{
				RetryStrategy: redislock.LinearBackoff(100 * time.Millisecond),
			})
			if err != nil {
				return nil, err
			}
			return func() error { return held.Release(context.WithoutCancel(ctx)) }, nil
		}},
	}, own.Close
}
