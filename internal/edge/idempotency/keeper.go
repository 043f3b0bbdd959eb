package idempotency

import (
	"errors"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
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
	// Cipher encrypts replies at rest; the zero Cipher keeps them in clear.
	Cipher encryption.Cipher
	// Retention is how long replies are kept; 0 means DefaultRetention. CriticalRetention
	// is the same for operations on money and orders; 0 means DefaultCriticalRetention.
	Retention, CriticalRetention time.Duration
	// Quota is how many keys a tenant's users may have at a time, and its customers as
	// many; 0 means any number.
	Quota int64
	// KeepServerErrors keeps replies of status 500 too, so that a repeat is not run.
	KeepServerErrors bool
}

// Keeper keeps replies under their keys. It is safe for concurrent use.
type Keeper struct {
	store            store
	locks            lock.Locker
	clock            clock.Clock
	epochs           *epoch.Watch
	cache            Cache
	cipher           encryption.Cipher
	retention        time.Duration
	critical         time.Duration
	keepServerErrors bool
	quota            quota
	replays          replays
	memory           memory
	inFlight         inFlight
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
		store: st, locks: d.Locks, clock: d.Clock, epochs: d.Epochs, cache: d.Cache, cipher: d.Cipher,
		retention: d.Retention, critical: d.CriticalRetention, keepServerErrors: d.KeepServerErrors,
		quota:   quota{limit: d.Quota, store: st, clock: d.Clock},
		replays: newReplays(st, d.Clock),
		metrics: newMetrics(),
	}
	k.epochs.Ask(k.Missing)
	return k
}

// decrypt returns what a replay of a record needs. One whose reply was too large to keep is
// answered with 200 and where to read it.
func (k *Keeper) decrypt(record Record) (*answer, error) {
	kept := &answer{seenRecord: record.asSeen(), method: record.Method, path: record.Path}
	var err error
	if kept.request, err = decryptFingerprint(k.cipher, record); err != nil {
		return nil, unreadable(record, err)
	}
	if record.Reply == nil {
		kept.reply = whereToRead(record.Location)
		return kept, nil
	}
	if kept.reply, err = decryptReply(k.cipher, record.Reply, record.CipherKey, associatedData(record.TenantID, record.Scope, record.IdempotencyKey)); err != nil {
		return nil, unreadable(record, err)
	}
	return kept, nil
}

// unreadable answers the repeat of a request whose reply cannot be decrypted. The key stays taken:
// what was done is not done again.
func unreadable(record Record, err error) error {
	if !errors.Is(err, encryption.ErrUnreadable) {
		return fmt.Errorf("replay the idempotency key %d: %w", record.ID, err)
	}
	return apperr.New(apperr.Unavailable,
		"The request was carried out with status %d and is not carried out again, but its reply cannot be read: the key that it is encrypted with is not there. See %s for what became of it.",
		record.Status, record.Location).After(time.Minute).Because(err)
}

// retentionOf is how long replies to a request are kept.
func (k *Keeper) retentionOf(request httpapi.KeyedRequest) time.Duration {
	if request.Critical {
		return k.critical
	}
	return k.retention
}
