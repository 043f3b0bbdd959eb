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

// Retention of replies if the settings contain none; the critical one is for money and orders.
const (
	DefaultRetention         = 24 * time.Hour
	DefaultCriticalRetention = 48 * time.Hour
)

// Deps are the dependencies and settings of a ReplyStore.
type Deps struct {
	DB    *storage.DB
	Locks lock.Locker
	Clock clock.Clock
	// Epochs provides the current epoch; the ReplyStore registers Missing with it.
	Epochs *epoch.Watch
	// Cipher encrypts replies at rest; the zero Cipher stores them in clear.
	Cipher encryption.Cipher
	// Retention is the lifetime of a stored reply, CriticalRetention that of replies about money
	// and orders; 0 means the default.
	Retention, CriticalRetention time.Duration
	// Quota is the maximum number of live keys of a tenant's users, and separately of its
	// customers; 0 means no limit.
	Quota int64
	// StoreServerErrors stores replies with status 500 too, so that a repeat returns them.
	StoreServerErrors bool
}

// ReplyStore stores replies under idempotency keys. It is safe for concurrent use.
type ReplyStore struct {
	store             store
	locks             lock.Locker
	clock             clock.Clock
	epochs            *epoch.Watch
	cipher            encryption.Cipher
	retention         time.Duration
	critical          time.Duration
	storeServerErrors bool
	quota             quota
	replays           replays
	memory            memory
	inFlight          inFlight
	outage            outage
	metrics           metrics
}

// New returns a ReplyStore. The caller must run its Run method.
func New(d Deps) *ReplyStore {
	if d.Retention == 0 {
		d.Retention = DefaultRetention
	}
	if d.CriticalRetention == 0 {
		d.CriticalRetention = DefaultCriticalRetention
	}
	st := store{db: d.DB}
	k := &ReplyStore{
		store: st, locks: d.Locks, clock: d.Clock, epochs: d.Epochs, cipher: d.Cipher,
		retention: d.Retention, critical: d.CriticalRetention, storeServerErrors: d.StoreServerErrors,
		quota:   quota{limit: d.Quota, store: st, clock: d.Clock},
		replays: newReplays(st, d.Clock),
		metrics: newMetrics(),
	}
	k.epochs.AddWitness(k.Missing)
	return k
}

// decrypt returns the replay of a record. The replay of a reply that was too large to store is 200
// with the location to read.
func (k *ReplyStore) decrypt(record Record) (*answer, error) {
	stored := &answer{seenRecord: record.asSeen(), method: record.Method, path: record.Path}
	var err error
	if stored.request, err = decryptFingerprint(k.cipher, record); err != nil {
		return nil, unreadable(record, err)
	}
	if record.Reply == nil {
		stored.reply = locationReply(record.Location)
		return stored, nil
	}
	if stored.reply, err = decryptReply(k.cipher, record.Reply, record.CipherKey, associatedData(record.TenantID, record.Scope, record.IdempotencyKey)); err != nil {
		return nil, unreadable(record, err)
	}
	return stored, nil
}

// unreadable is the error response to a repeat if the stored reply cannot be decrypted. The key
// remains used, so the request is not executed again.
func unreadable(record Record, err error) error {
	if !errors.Is(err, encryption.ErrUnreadable) {
		return fmt.Errorf("replay the idempotency key %d: %w", record.ID, err)
	}
	return apperr.New(apperr.Unavailable,
		"The request was executed with status %d and is not executed again, but its stored reply cannot be decrypted, because the encryption key is missing. See %s for the outcome.",
		record.Status, record.Location).After(time.Minute).Because(err)
}

// retentionOf returns how long the reply to a request is stored.
func (k *ReplyStore) retentionOf(request httpapi.KeyedRequest) time.Duration {
	if request.Critical {
		return k.critical
	}
	return k.retention
}
