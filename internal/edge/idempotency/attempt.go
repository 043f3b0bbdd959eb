package idempotency

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
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
	keeper      *Keeper
	request     httpapi.KeyedRequest
	actor       principal.Principal
	scope       string
	fingerprint fingerprint
	started     time.Time
	// epoch is the database's when the attempt began; "" when nobody could say.
	epoch epoch.Epoch
	// label is what name returned.
	label string

	// lease is nil while a replay is sent, and when no lease could be asked for.
	lease lock.Lease
	// entered is true while the attempt is among those that run in this process.
	entered bool
	// inParts is set when there are parts, which the whole reply replaces.
	inParts bool
	// head is the record of a document whose parts the database has, headID its id also
	// where this process remembers the parts.
	head   *Record
	headID int64
	// remembered has the parts of a document of which this process remembers all.
	remembered map[string][]byte
	// expired is the id of a record whose time is up and whose place is taken.
	expired int64
	earlier *httpapi.StoredReply
}

// Begin implements httpapi.ReplyStore. It checks process memory and the attempts in flight,
// then Redis, whose word one look at the database confirms; then it takes the lease and
// asks the database under it, which decides. Without Redis the lease is missing and the
// unique row remains.
func (k *Keeper) Begin(ctx context.Context, request httpapi.KeyedRequest) (httpapi.Attempt, error) {
	actor, ok := principal.From(ctx)
	if !ok {
		return nil, storage.ErrNoTenant
	}
	a := &attempt{
		keeper: k, request: request, actor: actor, scope: actor.KeyScope(), fingerprint: fingerprintOf(request), started: clock.Mark(),
	}
	if kept := a.fromMemory(ctx); kept != nil {
		k.metrics.cache.WithLabelValues("memory").Inc()
		return a, a.repeat(kept)
	}
	if !k.inFlight.enter(a.scopedKey()) {
		k.metrics.refused.WithLabelValues("in_progress").Inc()
		return nil, httpapi.InProgress()
	}
	begun := false
	defer func() {
		if !begun {
			a.End(ctx)
		}
	}()
	if err := a.begin(ctx); err != nil {
		return nil, err
	}
	begun = true
	return a, nil
}

// fromMemory returns what this process remembers under the key and may be believed.
func (a *attempt) fromMemory(ctx context.Context) *answer {
	k := a.keeper
	now, sure := k.epochs.Now(ctx)
	if !sure {
		return nil
	}
	a.epoch = now
	return k.memory.get(now, a.scopedKey(), k.clock.Now())
}

// begin asks what other processes know of the key.
func (a *attempt) begin(ctx context.Context) error {
	a.entered = true
	if kept := a.cached(ctx); kept != nil {
		a.keeper.memory.put(a.epoch, a.scopedKey(), kept)
		return a.repeat(kept)
	}
	if err := a.lock(ctx); err != nil {
		return err
	}
	return a.lookUp(ctx)
}

// lock takes the lease that keeps a second attempt out while this one runs.
func (a *attempt) lock(ctx context.Context) error {
	k := a.keeper
	if k.outage.lasts(k.clock.Now()) {
		return nil
	}
	lease, err := k.locks.Acquire(ctx, 0, a.name())
	switch {
	case err == nil:
		// Also that of a caller who has hung up since: it would be extended until End releases it.
		a.lease = lease
		return nil
	case errors.Is(err, lock.ErrNotAcquired):
		k.metrics.refused.WithLabelValues("in_progress").Inc()
		return httpapi.InProgress()
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	slog.WarnContext(ctx, "no lease for an idempotency key; the database decides alone", "error", err)
	k.outage.begin(k.clock.Now())
	return nil
}

// lookUp finds what the database has under the key and, if that is nothing, makes
// sure that there is room for it.
func (a *attempt) lookUp(ctx context.Context) error {
	k := a.keeper
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
	a.keeper.metrics.refused.WithLabelValues("quota").Inc()
	return apperr.New(apperr.QuotaExceeded,
		"The %ss of your organisation have as many idempotency keys as they may, %d; nothing was done. Try again when older ones have expired.",
		holderOf(a.actor).kind, a.keeper.quota.limit).After(time.Minute)
}

// found makes the attempt a replay of a record of the database, which the caches had
// lost.
func (a *attempt) found(ctx context.Context, record Record) error {
	kept, err := a.keeper.decrypt(record)
	if err != nil {
		return err
	}
	if a.isOfParts(kept) {
		a.head, a.headID = &record, record.ID
		return a.checkFingerprint(kept)
	}
	a.remember(ctx, record, kept)
	return a.repeat(kept)
}

// repeat makes the attempt a replay. Errors: IdempotencyKeyReused.
func (a *attempt) repeat(kept *answer) (err error) {
	if err := a.checkFingerprint(kept); err != nil {
		return err
	}
	if a.isOfParts(kept) {
		a.headID = kept.id
		a.remembered, err = unpackParts(kept.reply.Body)
		return err
	}
	a.earlier = &kept.reply
	a.replayed(kept.id)
	return nil
}

// replayed counts a replay of a record.
func (a *attempt) replayed(id int64) {
	k := a.keeper
	k.metrics.replays.Inc()
	k.replays.count(a.actor.TenantID, id)
}

// checkFingerprint is IdempotencyKeyReused when a record is of another request.
func (a *attempt) checkFingerprint(kept *answer) error {
	if kept.request != a.fingerprint {
		return a.reused(kept)
	}
	return nil
}

func (a *attempt) reused(kept *answer) error {
	a.keeper.metrics.refused.WithLabelValues("reused").Inc()
	return apperr.New(apperr.IdempotencyKeyReused,
		"This idempotency key was used for another request (%s %s); nothing was done. Use a new key for a new request.", kept.method, kept.path)
}

// whereToRead is the repeat of a reply that was too large to keep.
func whereToRead(location string) httpapi.StoredReply {
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
		a.keeper.inFlight.leave(a.scopedKey())
		a.entered = false
	}
}

// name is the key as the lease and Redis know it.
func (a *attempt) name() string {
	if a.label == "" {
		a.label = nameOf(a.actor.TenantID, a.scope, a.request.Key)
	}
	return a.label
}

// scopedKey is the key as this process's memory knows it.
func (a *attempt) scopedKey() scopedKey { return scopedKey{a.actor.TenantID, a.scope, a.request.Key} }
