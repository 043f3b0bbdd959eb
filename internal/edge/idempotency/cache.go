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
	// cacheTimeout bounds the delay of a request by a cache that does not respond.
	cacheTimeout = 250 * time.Millisecond
	// outagePause is the time without calls to Redis after a failed call.
	outagePause = time.Second
)

// Cache stores copies of records. The database has every record, so a Cache may evict any.
type Cache interface {
	// Get returns nil and no error on a miss.
	Get(ctx context.Context, name string) ([]byte, error)
	Put(ctx context.Context, name string, value []byte, life time.Duration) error
	Delete(ctx context.Context, name string) error
}

// RedisCache is a Cache that processes share.
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

// outage marks Redis as unavailable for a second, so that only one request waits for it.
type outage struct{ until atomic.Int64 }

func (o *outage) begin(now time.Time)      { o.until.Store(now.Add(outagePause).UnixMicro()) }
func (o *outage) lasts(now time.Time) bool { return now.UnixMicro() < o.until.Load() }

// cached returns the reply from the cache, or nil. A restore of the database leaves Redis
// unchanged, so a copy counts only if the database has the record.
func (a *attempt) cached(ctx context.Context) *answer {
	k := a.replies
	now := k.clock.Now()
	if k.cache == nil || k.outage.lasts(now) {
		return nil
	}
	cacheCtx, cancel := context.WithTimeout(ctx, cacheTimeout)
	defer cancel()
	value, err := k.cache.Get(cacheCtx, a.name())
	if err != nil {
		k.cacheFailed(ctx, err)
		return nil
	}
	record := Record{TenantID: a.actor.TenantID, Scope: a.scope, IdempotencyKey: a.request.Key}
	if value == nil || !record.decode(value) || !now.Before(record.ExpiresTime) {
		k.metrics.cache.WithLabelValues("miss").Inc()
		return nil
	}
	stored, err := k.decrypt(record)
	if err != nil {
		// The database may have the record intact.
		k.metrics.cache.WithLabelValues("miss").Inc()
		return nil
	}
	if missing, err := k.store.findMissing(ctx, []seenRecord{stored.seenRecord}); err != nil || missing != nil {
		k.metrics.cache.WithLabelValues("miss").Inc()
		return nil
	}
	k.metrics.cache.WithLabelValues("hit").Inc()
	return stored
}

// cache stores a committed record in the cache.
func (a *attempt) cache(ctx context.Context, record Record) {
	k := a.replies
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

// encoding is the first byte of a cached record. decode rejects any other, so that versions of the
// program can share a Redis.
const encoding = 4

// encode writes the members of a record that a replay needs, in this order:
//
//	encoding, id, creation and expiry (µs since 1970)
//	fingerprint
//	method, path, location, key id, encrypted fingerprint: each after its length
//	1 and the encrypted reply, or 0
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

// decode reads the output of encode. It returns false for anything else.
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

// cacheFailed suspends calls to Redis for outagePause. The database continues to decide.
func (k *ReplyStore) cacheFailed(ctx context.Context, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	k.metrics.cache.WithLabelValues("error").Inc()
	k.outage.begin(k.clock.Now())
	tenant, _ := principal.From(ctx)
	slog.WarnContext(ctx, "idempotency: cache unreachable; using the database only", "tenant", tenant.TenantID, "error", err)
}
