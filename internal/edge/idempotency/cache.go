package idempotency

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/principal"
)

const (
	// cacheTimeout bounds what a cache that does not answer can cost a request.
	cacheTimeout = 250 * time.Millisecond
	// outagePause is how long Redis is left alone after it did not answer.
	outagePause = time.Second
)

// Cache remembers records in front of the database. What it forgets is found there.
type Cache interface {
	// Get returns nil without an error when it has nothing.
	Get(ctx context.Context, name string) ([]byte, error)
	Put(ctx context.Context, name string, value []byte, life time.Duration) error
	Delete(ctx context.Context, name string) error
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

// Delete implements Cache.
func (c *RedisCache) Delete(ctx context.Context, name string) error {
	return c.client.Del(ctx, name).Err()
}

// outage remembers that Redis did not answer, so that the requests of the next
// second do not wait for it one by one.
type outage struct{ until atomic.Int64 }

func (o *outage) begin(now time.Time)      { o.until.Store(now.Add(outagePause).UnixMicro()) }
func (o *outage) lasts(now time.Time) bool { return now.UnixMicro() < o.until.Load() }

// cached returns what the cache has for an attempt, nil when that is nothing, or is of a
// record that the database does not have: the cache does not go back with the database.
func (a *attempt) cached(ctx context.Context) *answer {
	k := a.keeper
	now := k.clock.Now()
	if k.cache == nil || k.outage.lasts(now) {
		return nil
	}
	asked, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	value, err := k.cache.Get(asked, a.name())
	if err != nil {
		k.cacheFailed(ctx, err)
		return nil
	}
	record := Record{TenantID: a.actor.TenantID, Scope: a.scope, IdempotencyKey: a.request.Key}
	if value == nil || !record.decode(value) || !now.Before(record.ExpiresTime) {
		k.metrics.cache.WithLabelValues("miss").Inc()
		return nil
	}
	kept, err := k.decrypt(record)
	if err != nil {
		// The database may have what the cache has damaged; if not, it says so.
		k.metrics.cache.WithLabelValues("miss").Inc()
		return nil
	}
	if gone, err := k.store.findMissing(ctx, []seenRecord{kept.seenRecord}); err != nil || gone != nil {
		k.metrics.cache.WithLabelValues("miss").Inc()
		return nil
	}
	k.metrics.cache.WithLabelValues("hit").Inc()
	return kept
}

// cache puts a committed record into the cache.
func (a *attempt) cache(ctx context.Context, record Record) {
	k := a.keeper
	now := k.clock.Now()
	if k.cache == nil || k.outage.lasts(now) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cacheTimeout)
	defer cancel()
	if err := k.cache.Put(ctx, a.name(), record.encode(), record.ExpiresTime.Sub(now)); err != nil {
		k.cacheFailed(ctx, err)
	}
}

// encoding is the first byte of a cached record. Another one is read as nothing, so that
// versions of the program can share a Redis.
const encoding = 4

// encode writes what of a record a replay needs, one after the other:
//
//	encoding, id, when it was made and when it expires (µs since 1970)
//	fingerprint
//	method, path, location, the key's id, the encrypted fingerprint: each after its length
//	whether there is a reply, and the reply, encrypted as it is in the database
func (r Record) encode() []byte {
	to := make([]byte, 0, 128+len(r.Path)+len(r.Location)+len(r.Reply))
	to = append(to, encoding)
	for _, number := range []int64{r.ID, r.CreatedTime.UnixMicro(), r.ExpiresTime.UnixMicro()} {
		to = binary.AppendVarint(to, number)
	}
	to = append(to, r.Fingerprint...)
	for _, text := range []string{r.Method, r.Path, r.Location, r.CipherKey, string(r.SealedFingerprint)} {
		to = binary.AppendUvarint(to, uint64(len(text)))
		to = append(to, text...)
	}
	if r.Reply == nil {
		return append(to, 0)
	}
	return append(append(to, 1), r.Reply...)
}

// decode reads what encode wrote and reports whether it was that.
func (r *Record) decode(from []byte) bool {
	if len(from) == 0 || from[0] != encoding {
		return false
	}
	from = from[1:]
	var numbers [3]int64
	for i := range numbers {
		number, n := binary.Varint(from)
		if n <= 0 {
			return false
		}
		numbers[i], from = number, from[n:]
	}
	if len(from) < len(fingerprint{}) {
		return false
	}
	r.ID, r.CreatedTime, r.ExpiresTime = numbers[0], time.UnixMicro(numbers[1]).UTC(), time.UnixMicro(numbers[2]).UTC()
	r.Fingerprint, from = from[:len(fingerprint{})], from[len(fingerprint{}):]
	var sealed string
	for _, text := range []*string{&r.Method, &r.Path, &r.Location, &r.CipherKey, &sealed} {
		size, n := binary.Uvarint(from)
		if n <= 0 || size > uint64(len(from)-n) {
			return false
		}
		*text, from = string(from[n:n+int(size)]), from[n+int(size):]
	}
	if sealed != "" {
		r.SealedFingerprint = []byte(sealed)
	}
	if len(from) == 0 || from[0] > 1 || from[0] == 0 && len(from) > 1 {
		return false
	}
	if from[0] == 1 {
		r.Reply = from[1:]
	}
	return true
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
