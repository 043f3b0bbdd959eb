package idempotency

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/principal"
)

const (
	// cachePatience bounds what a cache that does not answer can cost a request.
	cachePatience = 250 * time.Millisecond
	// outageLife is how long Redis is left alone after it did not answer.
	outageLife = time.Second
)

// Cache remembers records in front of the database. What it forgets is found there.
type Cache interface {
	// Get returns nil without an error when it has nothing.
	Get(ctx context.Context, name string) ([]byte, error)
	Put(ctx context.Context, name string, value []byte, life time.Duration) error
}

// RedisCache is the Cache of many processes.
type RedisCache struct{ client redis.UniversalClient }

// NewRedisCache returns a cache whose keys in Redis are "idempotency:{tenant}:…".
func NewRedisCache(client redis.UniversalClient) *RedisCache { return &RedisCache{client: client} }

// Get implements Cache.
func (c *RedisCache) Get(ctx context.Context, name string) ([]byte, error) {
	value, err := c.client.Get(ctx, name).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return value, err
}

// Put implements Cache.
func (c *RedisCache) Put(ctx context.Context, name string, value []byte, life time.Duration) error {
	return c.client.Set(ctx, name, value, life).Err()
}

type noCache struct{}

func (noCache) Get(context.Context, string) ([]byte, error)              { return nil, nil }
func (noCache) Put(context.Context, string, []byte, time.Duration) error { return nil }

// outage remembers that Redis did not answer, so that the requests of the next
// second do not wait for it one by one.
type outage struct{ until atomic.Int64 }

func (o *outage) begin(now time.Time)      { o.until.Store(now.Add(outageLife).UnixMicro()) }
func (o *outage) lasts(now time.Time) bool { return now.UnixMicro() < o.until.Load() }

// cacheEntry is what of a record is cached: what a replay needs. The reply is
// sealed as it is in the database.
type cacheEntry struct {
	ID          int64     `json:"i"`
	Fingerprint []byte    `json:"f"`
	Method      string    `json:"m"`
	Path        string    `json:"p"`
	Reply       []byte    `json:"r"`
	Location    string    `json:"l"`
	SealKey     string    `json:"k"`
	Expires     time.Time `json:"e"`
}

// cached returns the record that the cache has for an attempt.
func (k *Keeper) cached(ctx context.Context, a *attempt) (Record, bool) {
	now := k.clock.Now()
	if k.outage.lasts(now) {
		return Record{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	value, err := k.cache.Get(ctx, a.name())
	if err != nil {
		k.cacheFailed(ctx, err)
		return Record{}, false
	}
	var entry cacheEntry
	if value == nil || json.Unmarshal(value, &entry) != nil || !now.Before(entry.Expires) || len(entry.Fingerprint) != len(fingerprint{}) {
		k.metrics.cache.WithLabelValues("miss").Inc()
		return Record{}, false
	}
	k.metrics.cache.WithLabelValues("hit").Inc()
	return Record{
		ID: entry.ID, TenantID: a.actor.TenantID, Scope: a.scope, IdempotencyKey: a.request.Key,
		Fingerprint: entry.Fingerprint, Method: entry.Method, Path: entry.Path,
		Reply: entry.Reply, Location: entry.Location, SealKey: entry.SealKey, ExpiresTime: entry.Expires,
	}, true
}

// remember puts a committed record into the cache.
func (k *Keeper) remember(ctx context.Context, record Record) {
	now := k.clock.Now()
	if _, none := k.cache.(noCache); none || k.outage.lasts(now) {
		return
	}
	value, err := json.Marshal(cacheEntry{
		ID: record.ID, Fingerprint: record.Fingerprint, Method: record.Method, Path: record.Path,
		Reply: record.Reply, Location: record.Location, SealKey: record.SealKey, Expires: record.ExpiresTime,
	})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cachePatience)
	defer cancel()
	if err := k.cache.Put(ctx, record.name(), value, record.ExpiresTime.Sub(now)); err != nil {
		k.cacheFailed(ctx, err)
	}
}

// cacheFailed leaves Redis alone for a while. The database goes on deciding.
func (k *Keeper) cacheFailed(ctx context.Context, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	k.metrics.cache.WithLabelValues("error").Inc()
	k.outage.begin(k.clock.Now())
	tenant, _ := principal.From(ctx)
	slog.WarnContext(ctx, "the cache of idempotency keys does not answer; the database decides alone", "tenant", tenant.TenantID, "error", err)
}
