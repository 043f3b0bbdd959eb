package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// A part of a request is one record under the part's name, in a scope that is derived from the
// request's key.
//
// The parts of a batch exist from their COMMIT until the record of the complete reply replaces
// them, or until they expire.
//
// A document has no record of its complete reply, only of its parts. The first part is inserted
// together with the head: a record under the request's key, without a reply, that marks the key as
// used and contains the principal and the fingerprint. The head and the parts expire at the same
// time. Each part has at most one record, whichever attempt decides it, so concurrent attempts
// return the same reply.

// storeTimeout bounds a transaction that records replies outside the request's unit of work.
const storeTimeout = 10 * time.Second

// partsPrefix starts the scopes of parts, and no other scope.
const partsPrefix = "parts:"

// withoutParts excludes the records of parts.
const withoutParts = "scope NOT LIKE '" + partsPrefix + "%'"

// partsOf returns the scope of the parts of a request.
func partsOf(scope, key string) string {
	digest := sha256.Sum256([]byte(scope + "\x00" + key))
	return partsPrefix + base64.RawURLEncoding.EncodeToString(digest[:])
}

func (a *attempt) partsScope() string { return partsOf(a.scope, a.request.Key) }

// isDocumentHead reports whether a record is the head of a document. A record with another status
// than 200 is not a head: it contains the rejection of the complete document.
func (a *attempt) isDocumentHead(stored *answer) bool {
	return a.request.Document && stored.reply.Status == http.StatusOK
}

// Parts implements httpapi.Attempt.
func (a *attempt) Parts(ctx context.Context) (map[string][]byte, error) {
	switch {
	case a.cachedParts != nil:
		return a.cachedParts, nil
	case a.request.Document && a.head == nil:
		return map[string][]byte{}, nil
	}
	k := a.replies
	records, err := k.store.parts(ctx, a.partsScope())
	if err != nil {
		return nil, err
	}
	a.inParts = len(records) > 0
	now := k.clock.Now()
	parts := make(map[string][]byte, len(records))
	var expired []int64
	for _, record := range records {
		if !now.Before(record.ExpiresTime) {
			expired = append(expired, record.ID)
			continue
		}
		if parts[record.IdempotencyKey], err = a.part(record); err != nil {
			return nil, err
		}
	}
	return parts, k.store.deleteExpired(ctx, a.actor.TenantID, expired)
}

// Part implements httpapi.Attempt.
func (a *attempt) Part(ctx context.Context, name string) ([]byte, error) {
	record, err := a.replies.store.find(ctx, a.partsScope(), name)
	switch {
	case storage.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return a.part(record)
}

// part returns the contents of the record of a part. Errors: IdempotencyKeyReused.
func (a *attempt) part(record Record) ([]byte, error) {
	stored, err := a.replies.decrypt(record)
	if err != nil {
		return nil, err
	}
	return stored.reply.Body, a.checkFingerprint(stored)
}

// StorePart implements httpapi.Attempt.
func (a *attempt) StorePart(ctx context.Context, u *uow.Unit, name string, value []byte) error {
	if _, err := u.Tx(ctx); err != nil {
		return err
	}
	records, err := a.recordParts(ctx, map[string][]byte{name: value})
	if err != nil {
		return err
	}
	a.inParts = true
	u.BeforeCommit(func(_ context.Context, tx *gorm.DB) error { return a.inProgressIfExists(a.insertParts(tx, records)) })
	u.AfterCommit(func(context.Context) { a.partsCommitted(records) })
	return nil
}

// recordParts returns the records of parts, preceded by the head if the request is a document and
// its head is not recorded yet.
func (a *attempt) recordParts(ctx context.Context, parts map[string][]byte) ([]*Record, error) {
	records := make([]*Record, 0, len(parts)+1)
	if a.request.Document && a.head == nil {
		head, err := a.record(ctx, httpapi.StoredReply{Status: http.StatusOK})
		if err != nil {
			return nil, err
		}
		records = append(records, &head)
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part, err := a.recordAt(ctx, a.partsScope(), name, httpapi.StoredReply{Status: http.StatusOK, Body: parts[name]})
		if err != nil {
			return nil, err
		}
		if a.head != nil {
			part.ExpiresTime = a.head.ExpiresTime
		}
		records = append(records, &part)
	}
	return records, nil
}

// insertParts inserts the records from recordParts. Errors: errKeyExists.
func (a *attempt) insertParts(tx *gorm.DB, records []*Record) error {
	if a.request.Document && a.head == nil {
		return a.insert(tx, records...)
	}
	return insert(tx, records...)
}

// partsCommitted runs after the records are committed. It adds the first record of a document to
// the seen records, with which the check of the epoch detects a restored database. It adds only the
// first, because the ids of the others are not reliable if one statement inserts several. It adds
// no parts of a batch, because these are deleted soon.
func (a *attempt) partsCommitted(records []*Record) {
	if !a.request.Document {
		return
	}
	a.replies.memory.noteSeen(a.epoch, records[0].asSeen())
	if a.head == nil {
		a.head, a.headID = records[0], records[0].ID
		a.replies.quota.added(holderOf(a.actor))
	}
}

// FinishDocument implements httpapi.Attempt. It only logs an error of the database: the caller has
// the reply, and a repeat decides rejected parts again.
func (a *attempt) FinishDocument(ctx context.Context, outcome httpapi.DocumentResult) bool {
	switch err := a.storeRejected(context.WithoutCancel(ctx), outcome.Refused); {
	case errors.Is(err, errKeyExists):
		return false
	case err != nil:
		slog.WarnContext(ctx, "idempotency: rejections not recorded", "error", err)
		return true
	}
	if outcome.Complete && a.cachedParts == nil {
		a.cacheParts(outcome.All)
	}
	if outcome.Replay {
		a.replayed(a.headID)
	}
	return true
}

// storeRejected records rejections. Errors: errKeyExists if another attempt has decided one of them or
// used the key first; Parts then returns the outcome.
func (a *attempt) storeRejected(ctx context.Context, refused map[string][]byte) error {
	if len(refused) == 0 {
		return nil
	}
	records, err := a.recordParts(ctx, refused)
	if err != nil {
		return err
	}
	if a.expired == 0 {
		err = a.insertParts(a.replies.store.db.Write(ctx), records)
	} else {
		err = a.inTransaction(ctx, records, func(tx *gorm.DB) error { return a.insertParts(tx, records) })
	}
	switch {
	case errors.Is(err, errKeyExists):
		return errors.Join(err, a.lookUp(ctx))
	case err != nil:
		return err
	}
	a.partsCommitted(records)
	return nil
}

// cacheParts caches a document in process memory when every part has an outcome.
func (a *attempt) cacheParts(parts map[string][]byte) {
	packed, err := json.Marshal(parts)
	if err != nil || a.head == nil {
		return
	}
	a.replies.memory.put(a.epoch, a.scopedKey(), &answer{
		seenRecord: a.head.asSeen(), request: a.fingerprint, spelling: a.spelling, method: a.head.Method, path: a.head.Path, reply: httpapi.StoredReply{Status: http.StatusOK, Body: packed},
	})
}

// unpackParts decodes the parts that cacheParts encoded.
func unpackParts(packed []byte) (parts map[string][]byte, err error) {
	if err := json.Unmarshal(packed, &parts); err != nil {
		return nil, fmt.Errorf("read the parts of a document: %w", err)
	}
	return parts, nil
}

// insertComplete records the reply of a batch and deletes its parts, in one transaction.
func (a *attempt) insertComplete(ctx context.Context, record *Record) error {
	if !a.inParts {
		return a.insert(a.replies.store.db.Write(ctx), record)
	}
	return a.inTransaction(ctx, []*Record{record}, func(tx *gorm.DB) error {
		if err := a.insert(tx, record); err != nil {
			return err
		}
		return a.deleteParts(tx)
	})
}

// inTransaction runs fn, which inserts the records and deletes others, in one transaction. After a
// serialization conflict it clears the ids of the records and runs fn again.
func (a *attempt) inTransaction(ctx context.Context, records []*Record, fn func(tx *gorm.DB) error) error {
	return a.replies.store.db.Transact(ctx, storeTimeout, func(tx *gorm.DB) error {
		for _, record := range records {
			record.ID = 0
		}
		return fn(tx)
	})
}

// deleteParts deletes the recorded parts of the attempt's request.
func (a *attempt) deleteParts(tx *gorm.DB) error {
	const statement = "DELETE FROM idempotency_keys WHERE tenant_id = ? AND scope = ?"
	if err := tx.Exec(statement, a.actor.TenantID, a.partsScope()).Error; err != nil {
		return fmt.Errorf("delete the parts of a request: %w", err)
	}
	return nil
}

// parts returns all records of a scope, expired or not.
func (s store) parts(ctx context.Context, scope string) ([]Record, error) {
	var records []Record
	if err := s.db.Read(ctx).Where("scope = ?", scope).Find(&records).Error; err != nil {
		return nil, fmt.Errorf("read the parts of a request: %w", err)
	}
	return records, nil
}

// deleteExpired deletes records, so that their keys can be used again.
func (s store) deleteExpired(ctx context.Context, tenant int64, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	const statement = "DELETE FROM idempotency_keys WHERE tenant_id = ? AND id IN ?"
	if err := s.db.Write(ctx).Exec(statement, tenant, ids).Error; err != nil {
		return fmt.Errorf("delete expired parts of a request: %w", err)
	}
	return nil
}
