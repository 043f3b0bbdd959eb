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

// A part of a request is kept as a record of its own, under its name, in a scope that
// only the request's key has.
//
// A part of a batch is there from the COMMIT of the part until the reply of the whole
// batch is recorded; where that never comes it expires as every record does.
//
// Of a document the parts are all that is kept. The first of them comes with a record
// under the key itself, the head, which has no reply: it says that the key is used, by
// whom and for what. They expire together. Each part has at most one record at any time,
// whichever attempt decides it, so two attempts side by side give one answer.

// keepLife bounds a transaction that records replies and is not their request's unit.
const keepLife = 10 * time.Second

// partsPrefix begins the scopes of parts, and of nothing else.
const partsPrefix = "parts:"

// withoutParts leaves out what is no reply to a request.
const withoutParts = "scope NOT LIKE '" + partsPrefix + "%'"

// partsOf names the scope of the parts of a request.
func partsOf(scope, key string) string {
	digest := sha256.Sum256([]byte(scope + "\x00" + key))
	return partsPrefix + base64.RawURLEncoding.EncodeToString(digest[:])
}

func (a *attempt) partsScope() string { return partsOf(a.scope, a.request.Key) }

// isOfParts reports whether a record is the head of a document. A document that could not
// be read was refused as a whole, with another status.
func (a *attempt) isOfParts(kept *answer) bool {
	return a.request.Document && kept.reply.Status == http.StatusOK
}

// Parts implements httpapi.Attempt.
func (a *attempt) Parts(ctx context.Context) (map[string][]byte, error) {
	switch {
	case a.remembered != nil:
		return a.remembered, nil
	case a.request.Document && a.head == nil:
		return map[string][]byte{}, nil
	}
	k := a.keeper
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
	return parts, k.store.forget(ctx, a.actor.TenantID, expired)
}

// Part implements httpapi.Attempt.
func (a *attempt) Part(ctx context.Context, name string) ([]byte, error) {
	record, err := a.keeper.store.find(ctx, a.partsScope(), name)
	switch {
	case storage.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return a.part(record)
}

// part returns what a record of a part has. Errors: IdempotencyKeyReused.
func (a *attempt) part(record Record) ([]byte, error) {
	kept, err := a.keeper.decrypt(record)
	if err != nil {
		return nil, err
	}
	return kept.reply.Body, a.checkFingerprint(kept)
}

// KeepPart implements httpapi.Attempt.
func (a *attempt) KeepPart(ctx context.Context, u *uow.Unit, name string, value []byte) error {
	if _, err := u.Tx(ctx); err != nil {
		return err
	}
	records, err := a.recordParts(ctx, map[string][]byte{name: value})
	if err != nil {
		return err
	}
	a.inParts = true
	u.BeforeCommit(func(_ context.Context, tx *gorm.DB) error { return a.taken(a.insertParts(tx, records)) })
	u.AfterCommit(func(context.Context) { a.keptParts(records) })
	return nil
}

// recordParts returns the records of parts, behind that of the head if the request is a
// document whose first parts they are.
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

// insertParts adds what recordParts returned. Errors: errTaken.
func (a *attempt) insertParts(tx *gorm.DB, records []*Record) error {
	if a.request.Document && a.head == nil {
		return a.insert(tx, records...)
	}
	return insert(tx, records...)
}

// keptParts notes that what insertParts added is committed. The parts of a batch are gone
// soon; those of a document stay, and of several records that are there together the id of
// the first is known for certain.
func (a *attempt) keptParts(records []*Record) {
	if !a.request.Document {
		return
	}
	a.keeper.memory.noteSeen(a.epoch, records[0].asSeen())
	if a.head == nil {
		a.head, a.headID = records[0], records[0].ID
		a.keeper.quota.added(holderOf(a.actor))
	}
}

// FinishDocument implements httpapi.Attempt. Failing to keep a refusal is logged, as KeepCommitted
// does: the caller has their answer, and a repeat decides it anew.
func (a *attempt) FinishDocument(ctx context.Context, outcome httpapi.DocumentResult) bool {
	switch err := a.keepRefused(context.WithoutCancel(ctx), outcome.Refused); {
	case errors.Is(err, errTaken):
		return false
	case err != nil:
		slog.WarnContext(ctx, "refusals could not be kept under their idempotency key", "error", err)
		return true
	}
	if outcome.Complete && a.remembered == nil {
		a.rememberParts(outcome.All)
	}
	if outcome.Replay {
		a.replayed(a.headID)
	}
	return true
}

// keepRefused records refusals. Errors: errTaken when another attempt has decided one of
// them, or has used the key first; Parts has what it came to then.
func (a *attempt) keepRefused(ctx context.Context, refused map[string][]byte) error {
	if len(refused) == 0 {
		return nil
	}
	records, err := a.recordParts(ctx, refused)
	if err != nil {
		return err
	}
	if a.expired == 0 {
		err = a.insertParts(a.keeper.store.db.Write(ctx), records)
	} else {
		err = a.together(ctx, records, func(tx *gorm.DB) error { return a.insertParts(tx, records) })
	}
	switch {
	case errors.Is(err, errTaken):
		return errors.Join(err, a.lookUp(ctx))
	case err != nil:
		return err
	}
	a.keptParts(records)
	return nil
}

// rememberParts puts a document of which every part has an answer into this process's
// memory.
func (a *attempt) rememberParts(parts map[string][]byte) {
	packed, err := json.Marshal(parts)
	if err != nil || a.head == nil {
		return
	}
	a.keeper.memory.put(a.epoch, a.scopedKey(), &answer{
		seenRecord: a.head.asSeen(), request: a.fingerprint, method: a.head.Method, path: a.head.Path, reply: httpapi.StoredReply{Status: http.StatusOK, Body: packed},
	})
}

// unpackParts reads what rememberParts packed.
func unpackParts(packed []byte) (parts map[string][]byte, err error) {
	if err := json.Unmarshal(packed, &parts); err != nil {
		return nil, fmt.Errorf("read the parts of a document: %w", err)
	}
	return parts, nil
}

// insertWhole records the reply of a batch and forgets its parts, in one transaction.
func (a *attempt) insertWhole(ctx context.Context, record *Record) error {
	if !a.inParts {
		return a.insert(a.keeper.store.db.Write(ctx), record)
	}
	return a.together(ctx, []*Record{record}, func(tx *gorm.DB) error {
		if err := a.insert(tx, record); err != nil {
			return err
		}
		return a.forgetParts(tx)
	})
}

// together runs fn, which inserts records and deletes others, in one transaction, and again after a
// conflict: from the start, when no record has an id yet.
func (a *attempt) together(ctx context.Context, records []*Record, fn func(tx *gorm.DB) error) error {
	return a.keeper.store.db.Transact(ctx, keepLife, func(tx *gorm.DB) error {
		for _, record := range records {
			record.ID = 0
		}
		return fn(tx)
	})
}

// forgetParts deletes what is kept of the parts of the attempt's request.
func (a *attempt) forgetParts(tx *gorm.DB) error {
	const statement = "DELETE FROM idempotency_keys WHERE tenant_id = ? AND scope = ?"
	if err := tx.Exec(statement, a.actor.TenantID, a.partsScope()).Error; err != nil {
		return fmt.Errorf("forget the parts of a request: %w", err)
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

// forget deletes records by their ids, so that others can take their places.
func (s store) forget(ctx context.Context, tenant int64, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	const statement = "DELETE FROM idempotency_keys WHERE tenant_id = ? AND id IN ?"
	if err := s.db.Write(ctx).Exec(statement, tenant, ids).Error; err != nil {
		return fmt.Errorf("forget expired parts of a request: %w", err)
	}
	return nil
}
