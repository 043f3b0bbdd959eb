package idempotency

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"gorm.io/gorm"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/lock"
)

// DefaultRetention is how long a reply is kept when the settings say nothing, and
// DefaultCriticalRetention one about money and orders.
const (
	DefaultRetention         = 24 * time.Hour
	DefaultCriticalRetention = 48 * time.Hour
)

// Deps are what a Keeper stands on.
type Deps struct {
	DB    *storage.DB
	Locks lock.Locker
	Clock clock.Clock
	// Epochs tells which epoch replies are remembered for, and asks the Keeper what of them
	// is missing.
	Epochs *epoch.Watch
	// Cache may be nil: every look-up then asks the database.
	Cache Cache
	Seal  Seal
	// Retention is how long replies are kept; 0 means DefaultRetention. CriticalRetention
	// is the same for operations on money and orders; 0 means DefaultCriticalRetention.
	Retention, CriticalRetention time.Duration
	// Quota is how many keys a tenant's users may have at a time, and its customers as
	// many; 0 means any number.
	Quota int64
	// KeepServerErrors keeps replies of status 500 too, so that a repeat is not run.
	KeepServerErrors bool
	Registerer       prometheus.Registerer
}

// Keeper keeps replies under their keys. It is safe for concurrent use.
type Keeper struct {
	store            store
	locks            lock.Locker
	clock            clock.Clock
	epochs           *epoch.Watch
	cache            Cache
	seal             Seal
	retention        time.Duration
	critical         time.Duration
	keepServerErrors bool
	quota            quota
	replays          replays
	memory           memory
	running          running
	outage           outage
	metrics          metrics
}

// New returns a Keeper. Run must run while it is used.
func New(d Deps) *Keeper {
	if d.Retention == 0 {
		d.Retention = DefaultRetention
	}
	if d.CriticalRetention == 0 {
		d.CriticalRetention = DefaultCriticalRetention
	}
	st := store{db: d.DB}
	k := &Keeper{
		store: st, locks: d.Locks, clock: d.Clock, epochs: d.Epochs, cache: d.Cache, seal: d.Seal,
		retention: d.Retention, critical: d.CriticalRetention, keepServerErrors: d.KeepServerErrors,
		quota:   quota{limit: d.Quota, store: st, clock: d.Clock},
		replays: newReplays(st, d.Clock),
		metrics: newMetrics(d.Registerer),
	}
	k.epochs.Ask(k.Missing)
	return k
}

// attempt is one run of a request under its key.
type attempt struct {
	keeper  *Keeper
	request httpapi.Keyed
	actor   principal.Principal
	scope   string
	print   fingerprint
	started time.Time
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
	earlier *httpapi.Kept
}

// Begin implements httpapi.Keeper. It checks process memory and the attempts in flight,
// then Redis, whose word one look at the database confirms; then it takes the lease and
// asks the database under it, which decides. Without Redis the lease is missing and the
// unique row remains.
func (k *Keeper) Begin(ctx context.Context, request httpapi.Keyed) (httpapi.Attempt, error) {
	actor, ok := principal.From(ctx)
	if !ok {
		return nil, storage.ErrNoTenant
	}
	a := &attempt{
		keeper: k, request: request, actor: actor, scope: scopeOf(actor), print: fingerprintOf(request), started: clock.Mark(),
	}
	if kept := a.recall(ctx); kept != nil {
		k.metrics.cache.WithLabelValues("memory").Inc()
		return a, a.repeat(kept)
	}
	if !k.running.enter(a.place()) {
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

// recall returns what this process remembers under the key and may be believed.
func (a *attempt) recall(ctx context.Context) *answer {
	k := a.keeper
	now, sure := k.epochs.Now(ctx)
	if !sure {
		return nil
	}
	a.epoch = now
	return k.memory.get(now, a.place(), k.clock.Now())
}

// begin asks what other processes know of the key.
func (a *attempt) begin(ctx context.Context) error {
	a.entered = true
	if kept := a.cached(ctx); kept != nil {
		a.keeper.memory.put(a.epoch, a.place(), kept)
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
	case errors.Is(err, lock.ErrNotAcquired):
		k.metrics.refused.WithLabelValues("in_progress").Inc()
		return httpapi.InProgress()
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		slog.WarnContext(ctx, "no lease for an idempotency key; the database decides alone", "error", err)
		k.outage.begin(k.clock.Now())
		return nil
	}
	a.lease = lease
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
	kept, err := a.keeper.open(record)
	if err != nil {
		return err
	}
	if a.isOfParts(kept) {
		a.head, a.headID = &record, record.ID
		return a.same(kept)
	}
	a.remember(ctx, record, kept)
	return a.repeat(kept)
}

// repeat makes the attempt a replay. Errors: IdempotencyKeyReused.
func (a *attempt) repeat(kept *answer) (err error) {
	if err := a.same(kept); err != nil {
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

// same is IdempotencyKeyReused when a record is of another request.
func (a *attempt) same(kept *answer) error {
	if kept.print != a.print {
		return a.reused(kept)
	}
	return nil
}

func (a *attempt) reused(kept *answer) error {
	a.keeper.metrics.refused.WithLabelValues("reused").Inc()
	return apperr.New(apperr.IdempotencyKeyReused,
		"This idempotency key was used for another request (%s %s); nothing was done. Use a new key for a new request.", kept.method, kept.path)
}

// open returns what a replay of a record needs. One whose reply was too large to keep is
// answered with 200 and where to read it.
func (k *Keeper) open(record Record) (*answer, error) {
	kept := &answer{sighting: record.sighting(), method: record.Method, path: record.Path}
	if record.Reply == nil {
		kept.reply = elsewhere(record.Location)
		return kept, nil
	}
	var err error
	if kept.reply, err = k.seal.open(record.Reply, record.SealKey, placeOf(record.TenantID, record.Scope, record.IdempotencyKey)); err != nil {
		return nil, fmt.Errorf("replay the idempotency key %d: %w", record.ID, err)
	}
	return kept, nil
}

// elsewhere is the repeat of a reply that was too large to keep.
func elsewhere(location string) httpapi.Kept {
	return httpapi.Kept{Status: http.StatusOK, Header: http.Header{"Location": {location}}}
}

// Replay implements httpapi.Attempt.
func (a *attempt) Replay() (httpapi.Kept, bool) {
	if a.earlier == nil {
		return httpapi.Kept{}, false
	}
	return *a.earlier, true
}

// Keep implements httpapi.Attempt.
func (a *attempt) Keep(ctx context.Context, u *uow.Unit, reply httpapi.Kept) error {
	// A unit that changed nothing has its reply recorded too.
	if _, err := u.Tx(ctx); err != nil {
		return err
	}
	record, err := a.record(ctx, reply)
	if err != nil {
		return err
	}
	u.BeforeCommit(func(_ context.Context, tx *gorm.DB) error { return a.taken(a.insert(tx, &record)) })
	u.AfterCommit(func(ctx context.Context) { a.recorded(ctx, record, reply) })
	return nil
}

// insert adds the attempt's own record, and what else is new with it, in place of one
// whose time is up.
//
//	DELETE FROM idempotency_keys WHERE tenant_id = ? AND id = ?      -- the expired one, if any
//	DELETE FROM idempotency_keys WHERE tenant_id = ? AND scope = ?   -- and the parts of its document
//	INSERT INTO idempotency_keys …
func (a *attempt) insert(tx *gorm.DB, records ...*Record) error {
	if a.expired != 0 {
		const statement = "DELETE FROM idempotency_keys WHERE tenant_id = ? AND id = ?"
		if err := tx.Exec(statement, a.actor.TenantID, a.expired).Error; err != nil {
			return fmt.Errorf("forget the expired idempotency key: %w", err)
		}
	}
	if a.expired != 0 && a.request.Document {
		if err := a.forgetParts(tx); err != nil {
			return err
		}
	}
	return insert(tx, records...)
}

// KeepAfter implements httpapi.Attempt. Failing to keep is logged: the caller has
// his answer, and a repeat is decided anew.
func (a *attempt) KeepAfter(ctx context.Context, reply httpapi.Kept) (httpapi.Kept, bool) {
	if !a.Keeps(reply) {
		return httpapi.Kept{}, false
	}
	ctx = context.WithoutCancel(ctx)
	record, err := a.record(ctx, reply)
	if err == nil {
		err = a.insertWhole(ctx, &record)
	}
	switch {
	case errors.Is(err, errTaken):
		return a.others(ctx)
	case err != nil:
		slog.WarnContext(ctx, "a reply could not be kept under its idempotency key", "error", err)
	default:
		a.recorded(ctx, record, reply)
	}
	return httpapi.Kept{}, false
}

// Settle implements httpapi.Attempt. Without a lease two attempts can run side by side,
// and the second be refused for what the first has done: a version that has passed, a
// name that is taken. The unique row tells, whichever comes to it first.
func (a *attempt) Settle(ctx context.Context, err error, refusal httpapi.Kept) (httpapi.Kept, bool) {
	switch {
	case errors.Is(err, errTaken):
		return a.others(ctx)
	case ctx.Err() != nil:
		return httpapi.Kept{}, false
	}
	return a.KeepAfter(ctx, refusal)
}

// others returns what another attempt at the same request has recorded meanwhile.
func (a *attempt) others(ctx context.Context) (httpapi.Kept, bool) {
	record, err := a.keeper.store.find(ctx, a.scope, a.request.Key)
	if err == nil {
		err = a.found(ctx, record)
	}
	if err != nil || a.earlier == nil {
		return httpapi.Kept{}, false
	}
	return *a.earlier, true
}

// Keeps implements httpapi.Attempt. What says when to come back (423, 429, 503) is not
// an answer yet; 401 and 403 are decided anew for each request, and what was too large
// was never read.
func (a *attempt) Keeps(reply httpapi.Kept) bool {
	switch {
	case reply.Header.Get("Retry-After") != "":
		return false
	case reply.Status == http.StatusUnauthorized, reply.Status == http.StatusForbidden, reply.Status == http.StatusRequestEntityTooLarge:
		return false
	case reply.Status >= http.StatusInternalServerError:
		return a.keeper.keepServerErrors
	}
	return true
}

// record returns what is to be kept of a reply.
func (a *attempt) record(ctx context.Context, reply httpapi.Kept) (Record, error) {
	return a.recordAt(ctx, a.scope, a.request.Key, reply)
}

// recordAt returns what is to be kept of a reply in another scope, under another key.
func (a *attempt) recordAt(ctx context.Context, scope, key string, reply httpapi.Kept) (Record, error) {
	k, now := a.keeper, a.keeper.clock.Now()
	sealed, keyID, err := k.seal.close(reply, placeOf(a.actor.TenantID, scope, key))
	if err != nil {
		return Record{}, err
	}
	location := reply.Header.Get("Location")
	if location == "" || len(location) > longestPath {
		location = a.request.Path
	}
	if len(sealed) > largestReply {
		sealed, keyID = nil, ""
	}
	record := Record{
		TenantID: a.actor.TenantID, Scope: scope, IdempotencyKey: key, Fingerprint: a.print[:],
		Method: a.request.Method, Path: clipped(a.request.Path, longestPath), RequestID: principal.Request(ctx),
		ActorKind: string(a.actor.Kind), ActorID: a.actor.ActorID(), ActorName: a.actor.Name,
		Status: reply.Status, Reply: sealed, Location: clipped(location, longestPath), SealKey: keyID,
		DurationUS: clock.Since(a.started).Microseconds(), CreatedTime: now, ExpiresTime: now.Add(k.retentionOf(a.request)),
	}
	if a.actor.OnBehalfOf != "" {
		record.OnBehalfOf = &a.actor.OnBehalfOf
	}
	return record, nil
}

// retentionOf is how long replies to a request are kept.
func (k *Keeper) retentionOf(request httpapi.Keyed) time.Duration {
	if request.Critical {
		return k.critical
	}
	return k.retention
}

// taken turns errTaken into what the caller is told if nothing better is found.
func (a *attempt) taken(err error) error {
	if errors.Is(err, errTaken) {
		return httpapi.InProgress().Because(errTaken)
	}
	return err
}

// End implements httpapi.Attempt.
func (a *attempt) End(ctx context.Context) {
	if a.lease != nil {
		// A lease that cannot be released ends by its TTL.
		_ = a.lease.Release(context.WithoutCancel(ctx))
		a.lease = nil
	}
	if a.entered {
		a.keeper.running.leave(a.place())
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

// place is the key as this process's memory knows it.
func (a *attempt) place() place { return place{a.actor.TenantID, a.scope, a.request.Key} }

// recorded is called once a record is committed.
func (a *attempt) recorded(ctx context.Context, record Record, reply httpapi.Kept) {
	a.keeper.quota.added(holderOf(a.actor))
	if record.Reply == nil {
		reply = elsewhere(record.Location)
	}
	a.remember(ctx, record, &answer{sighting: record.sighting(), method: record.Method, path: record.Path, reply: reply})
}

// remember puts a committed record into the caches.
func (a *attempt) remember(ctx context.Context, record Record, kept *answer) {
	a.keeper.memory.put(a.epoch, a.place(), kept)
	a.cache(ctx, record)
}
