package idempotency

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/internal/lock"
)

// attempt is one run of a request under its key.
type attempt struct {
	replies *ReplyStore
	request httpapi.KeyedRequest
	actor   principal.Principal
	scope   string
	// spelling is that of the request.
	spelling fingerprint
	// fingerprint is that of the request. Begin computes it unless a cached reply has the spelling.
	fingerprint fingerprint
	started     time.Time
	// epoch is the database's epoch when the attempt started; "" if it was unknown.
	epoch epoch.Epoch

	// lease is nil for a replay, and if the lock service was unavailable.
	lease lock.Lease
	// entered is true while the attempt is in replies.inFlight.
	entered bool
	// inParts is true if parts of a batch are recorded; the record of the complete reply replaces
	// them.
	inParts bool
	// head is the record of a document with parts in the database; headID is its id, also if the
	// parts come from process memory.
	head   *Record
	headID int64
	// cachedParts contains all parts of a document from process memory; nil if it does not have
	// them.
	cachedParts map[string][]byte
	// expired is the id of an expired record under the same key, which insert deletes; 0 for none.
	expired int64
	earlier *httpapi.StoredReply
}

// Begin implements httpapi.ReplyStore. It checks process memory and the attempts in flight, then
// acquires the lease and reads the database, which decides. If Redis is down there is no lease, and
// the unique row alone prevents a second effect.
func (k *ReplyStore) Begin(ctx context.Context, request httpapi.KeyedRequest) (httpapi.Attempt, error) {
	actor, ok := principal.From(ctx)
	if !ok {
		return nil, storage.ErrNoTenant
	}
	a := &attempt{
		replies: k, request: request, actor: actor, scope: actor.KeyScope(), spelling: spellingOf(request), started: clock.Mark(),
	}
	if stored := a.fromMemory(ctx); stored != nil {
		return a, a.repeat(stored)
	}
	a.fingerprint = fingerprintOf(request)
	if !k.inFlight.enter(a.scopedKey()) {
		k.metrics.refused.WithLabelValues("in_progress").Inc()
		return nil, httpapi.InProgress()
	}
	started := false
	defer func() {
		if !started {
			a.End(ctx)
		}
	}()
	a.entered = true
	if err := a.lock(ctx); err != nil {
		return nil, err
	}
	if err := a.lookUp(ctx); err != nil {
		return nil, err
	}
	started = true
	return a, nil
}

// fromMemory returns the cached reply for the key if it is of the current epoch, or nil.
func (a *attempt) fromMemory(ctx context.Context) *answer {
	k := a.replies
	now, sure := k.epochs.Now(ctx)
	if !sure {
		return nil
	}
	a.epoch = now
	return k.memory.get(now, a.scopedKey(), k.clock.Now())
}

// outage marks Redis as unavailable for a second, so that only one request waits for it.
type outage struct{ until atomic.Int64 }

func (o *outage) begin(now time.Time)      { o.until.Store(now.Add(time.Second).UnixMicro()) }
func (o *outage) lasts(now time.Time) bool { return now.UnixMicro() < o.until.Load() }

// lock acquires the lease that excludes other attempts at the same request.
func (a *attempt) lock(ctx context.Context) error {
	k := a.replies
	if k.outage.lasts(k.clock.Now()) {
		return nil
	}
	lease, err := k.locks.Acquire(ctx, 0, nameOf(a.actor.TenantID, a.scope, a.request.Key))
	switch {
	case err == nil:
		// The lease is stored also if the caller has disconnected: otherwise nothing would release
		// it.
		a.lease = lease
		return nil
	case errors.Is(err, lock.ErrNotAcquired):
		k.metrics.refused.WithLabelValues("in_progress").Inc()
		return httpapi.InProgress()
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	slog.WarnContext(ctx, "idempotency: no lease acquired; relying on the unique row", "error", err)
	k.outage.begin(k.clock.Now())
	return nil
}

// lookUp reads the record under the key. If there is none, it checks the quota.
func (a *attempt) lookUp(ctx context.Context) error {
	k := a.replies
	record, err := k.store.find(ctx, a.scope, a.request.Key)
	switch {
	case storage.IsNotFound(err):
	case err != nil:
		return err
	case k.clock.Now().Before(record.ExpiresTime):
		return a.found(ctx, record)
	default:
		a.expired = record.ID
	}
	if admitted, err := k.quota.admits(ctx, holderOf(a.actor)); err != nil || !admitted {
		return a.overQuota(err)
	}
	return nil
}

func (a *attempt) overQuota(err error) error {
	if err != nil {
		return err
	}
	a.replies.metrics.refused.WithLabelValues("quota").Inc()
	return apperr.New(apperr.QuotaExceeded,
		"The %ss of your organisation have reached their limit of %d idempotency keys; nothing was done. Try again when older ones have expired.",
		holderOf(a.actor).kind, a.replies.quota.limit).After(time.Minute)
}

// found makes the attempt a replay of a record from the database, or, for a document, the repeat
// that runs its remaining parts.
func (a *attempt) found(ctx context.Context, record Record) error {
	stored, err := a.replies.decrypt(record)
	if err != nil {
		return err
	}
	if a.isDocumentHead(stored) {
		a.head, a.headID = &record, record.ID
		return a.checkFingerprint(stored)
	}
	err = a.checkFingerprint(stored)
	if err == nil {
		stored.spelling = a.spelling
	}
	a.replies.memory.put(a.epoch, a.scopedKey(), stored)
	if err != nil {
		return err
	}
	return a.repeat(stored)
}

// repeat makes the attempt a replay. Errors: IdempotencyKeyReused.
func (a *attempt) repeat(stored *answer) (err error) {
	if err := a.checkFingerprint(stored); err != nil {
		return err
	}
	if a.isDocumentHead(stored) {
		a.headID = stored.id
		a.cachedParts, err = unpackParts(stored.reply.Body)
		return err
	}
	a.earlier = &stored.reply
	a.replayed(stored.id)
	return nil
}

// replayed counts a replay of a record.
func (a *attempt) replayed(id int64) {
	k := a.replies
	k.metrics.replays.Inc()
	k.replays.count(a.actor.TenantID, id)
}

// checkFingerprint returns IdempotencyKeyReused if the record belongs to a different request.
func (a *attempt) checkFingerprint(stored *answer) error {
	if stored.spelling == a.spelling {
		a.fingerprint = stored.request
		return nil
	}
	if a.fingerprint == (fingerprint{}) {
		a.fingerprint = fingerprintOf(a.request)
	}
	if stored.request != a.fingerprint {
		return a.reused(stored)
	}
	return nil
}

func (a *attempt) reused(stored *answer) error {
	a.replies.metrics.refused.WithLabelValues("reused").Inc()
	return apperr.New(apperr.IdempotencyKeyReused,
		"This idempotency key was used for another request (%s %s); nothing was done. Use a new key for a new request.", stored.method, stored.path)
}

// locationReply returns the replay of a reply that was too large to store: 200 with the location at
// which the client can read the resource.
func locationReply(location string) httpapi.StoredReply {
	return httpapi.StoredReply{Status: http.StatusOK, Header: http.Header{"Location": {location}}}
}

// Replay implements httpapi.Attempt.
func (a *attempt) Replay() (httpapi.StoredReply, bool) {
	if a.earlier == nil {
		return httpapi.StoredReply{}, false
	}
	return *a.earlier, true
}

// End implements httpapi.Attempt.
func (a *attempt) End(ctx context.Context) {
	if a.lease != nil {
		// A lease that cannot be released ends by its TTL.
		_ = a.lease.Release(context.WithoutCancel(ctx))
		a.lease = nil
	}
	if a.entered {
		a.replies.inFlight.leave(a.scopedKey())
		a.entered = false
	}
}

// scopedKey is the key in process memory.
func (a *attempt) scopedKey() scopedKey { return scopedKey{a.actor.TenantID, a.scope, a.request.Key} }
