package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"

	"gorm.io/gorm"

	"interlock/internal/httpapi"
	"interlock/internal/storage"
	"interlock/internal/uow"
)

// A part of a batch is kept as a record of its own, under its name, in a scope that only
// the batch's key has. It is there from the COMMIT of the part until the reply of the
// whole batch is recorded; where that never comes it expires as every record does.

// partsPrefix begins the scopes of parts, and of nothing else.
const partsPrefix = "parts:"

// withoutParts leaves out what is no reply to a request.
const withoutParts = "scope NOT LIKE '" + partsPrefix + "%'"

// partsOf names the scope of the parts of a batch.
func partsOf(scope, key string) string {
	digest := sha256.Sum256([]byte(scope + "\x00" + key))
	return partsPrefix + base64.RawURLEncoding.EncodeToString(digest[:])
}

// Parts implements httpapi.Attempt.
func (a *attempt) Parts(ctx context.Context) (map[string][]byte, error) {
	k := a.keeper
	records, err := k.store.parts(ctx, partsOf(a.scope, a.request.Key))
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
	record, err := a.keeper.store.find(ctx, partsOf(a.scope, a.request.Key), name)
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
	kept, err := a.keeper.open(record)
	switch {
	case err != nil:
		return nil, err
	case kept.print != a.print:
		return nil, a.reused(kept)
	}
	return kept.reply.Body, nil
}

// KeepPart implements httpapi.Attempt.
func (a *attempt) KeepPart(ctx context.Context, u *uow.Unit, name string, value []byte) error {
	if _, err := u.Tx(ctx); err != nil {
		return err
	}
	record, err := a.recordAt(ctx, partsOf(a.scope, a.request.Key), name, httpapi.Kept{Status: http.StatusOK, Body: value})
	if err != nil {
		return err
	}
	a.inParts = true
	u.BeforeCommit(func(_ context.Context, tx *gorm.DB) error { return a.taken(insert(tx, &record, 0)) })
	return nil
}

// insertWhole records the reply of a batch and forgets its parts, in one transaction.
func (a *attempt) insertWhole(ctx context.Context, record *Record) error {
	db := a.keeper.store.db.Write(ctx)
	if !a.inParts {
		return insert(db, record, a.expired)
	}
	return db.Transaction(func(tx *gorm.DB) error {
		if err := insert(tx, record, a.expired); err != nil {
			return err
		}
		const statement = "DELETE FROM idempotency_keys WHERE tenant_id = ? AND scope = ?"
		if err := tx.Exec(statement, record.TenantID, partsOf(a.scope, a.request.Key)).Error; err != nil {
			return fmt.Errorf("forget the parts of a batch: %w", err)
		}
		return nil
	})
}

// parts returns all records of a scope, expired or not.
func (s store) parts(ctx context.Context, scope string) ([]Record, error) {
	var records []Record
	if err := s.db.Read(ctx).Where("scope = ?", scope).Find(&records).Error; err != nil {
		return nil, fmt.Errorf("read the parts of a batch: %w", err)
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
		return fmt.Errorf("forget expired parts of a batch: %w", err)
	}
	return nil
}
