package idempotency

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Store implements httpapi.Attempt.
func (a *attempt) Store(ctx context.Context, u *uow.Unit, reply httpapi.StoredReply) error {
	// A unit without changes needs a transaction too, to record its reply.
	if _, err := u.Tx(ctx); err != nil {
		return err
	}
	record, err := a.record(ctx, reply)
	if err != nil {
		return err
	}
	u.BeforeCommit(func(_ context.Context, tx *gorm.DB) error { return a.inProgressIfExists(a.insert(tx, &record)) })
	u.AfterCommit(func(context.Context) { a.recorded(record, reply) })
	return nil
}

// insert adds the records and replaces an expired one under the same key:
//
//	DELETE FROM idempotency_keys WHERE tenant_id = ? AND id = ?      -- the expired one, if any
//	DELETE FROM idempotency_keys WHERE tenant_id = ? AND scope = ?   -- the parts of its document
//	INSERT INTO idempotency_keys …
func (a *attempt) insert(tx *gorm.DB, records ...*Record) error {
	if a.expired != 0 {
		const statement = "DELETE FROM idempotency_keys WHERE tenant_id = ? AND id = ?"
		if err := tx.Exec(statement, a.actor.TenantID, a.expired).Error; err != nil {
			return fmt.Errorf("delete the expired idempotency key: %w", err)
		}
	}
	if a.expired != 0 && a.request.Document {
		if err := a.deleteParts(tx); err != nil {
			return err
		}
	}
	if len(records) == 1 {
		return insert(storage.DeferredID(tx, &records[0].ID), records...)
	}
	return insert(tx, records...)
}

// StoreCommitted implements httpapi.Attempt. It only logs an error of the database: the caller sends
// the reply anyway, and a repeat runs the request again.
func (a *attempt) StoreCommitted(ctx context.Context, reply httpapi.StoredReply) (httpapi.StoredReply, bool) {
	if !a.IsFinal(reply) {
		return httpapi.StoredReply{}, false
	}
	ctx = context.WithoutCancel(ctx)
	record, err := a.record(ctx, reply)
	if err == nil {
		err = a.insertComplete(ctx, &record)
	}
	switch {
	case errors.Is(err, errKeyExists):
		return a.winnerReply(ctx)
	case err != nil:
		slog.WarnContext(ctx, "idempotency: reply not recorded", "error", err)
	default:
		a.recorded(record, reply)
	}
	return httpapi.StoredReply{}, false
}

// StoreRejection implements httpapi.Attempt. Without a lease two attempts can run concurrently, and
// the first can cause the second's rejection: a stale version, a name that already exists. The
// unique row decides between them.
func (a *attempt) StoreRejection(ctx context.Context, err error, refusal httpapi.StoredReply) (httpapi.StoredReply, bool) {
	switch {
	case errors.Is(err, errKeyExists):
		return a.winnerReply(ctx)
	case ctx.Err() != nil:
		return httpapi.StoredReply{}, false
	case isCorrectable(refusal):
		return a.winnerReply(ctx)
	}
	return a.StoreCommitted(ctx, refusal)
}

// winnerReply returns the reply that a concurrent attempt at the same request recorded.
func (a *attempt) winnerReply(ctx context.Context) (httpapi.StoredReply, bool) {
	record, err := a.replies.store.find(ctx, a.scope, a.request.Key)
	if err == nil {
		err = a.found(ctx, record)
	}
	if err != nil || a.earlier == nil {
		return httpapi.StoredReply{}, false
	}
	return *a.earlier, true
}

// IsFinal implements httpapi.Attempt. A reply with Retry-After (423, 429, 503) is not final. The
// service decides 401 and 403 again for each request, and did not read a body that is too large.
// A request that is malformed or breaks a rule of shape can be corrected under the same key.
func (a *attempt) IsFinal(reply httpapi.StoredReply) bool {
	switch {
	case reply.Header.Get("Retry-After") != "":
		return false
	case isCorrectable(reply):
		return false
	case reply.Status == http.StatusTooManyRequests, reply.Status == http.StatusUnauthorized, reply.Status == http.StatusForbidden, reply.Status == http.StatusRequestEntityTooLarge:
		return false
	case reply.Status >= http.StatusInternalServerError:
		return a.replies.storeServerErrors
	}
	return true
}

// isCorrectable reports whether a reply rejects the request as malformed or invalid. The caller can
// then correct the request under the same key.
func isCorrectable(reply httpapi.StoredReply) bool {
	return reply.Code == apperr.MalformedRequest || reply.Code == apperr.ValidationFailed
}

// record returns the record of a reply.
func (a *attempt) record(ctx context.Context, reply httpapi.StoredReply) (Record, error) {
	return a.recordAt(ctx, a.scope, a.request.Key, reply)
}

// recordAt returns the record of a reply in another scope, under another key.
func (a *attempt) recordAt(ctx context.Context, scope, key string, reply httpapi.StoredReply) (Record, error) {
	k, now := a.replies, a.replies.clock.Now()
	sealed, keyID, err := encryptReply(k.cipher, reply, associatedData(a.actor.TenantID, scope, key))
	recordTag, sealedFingerprint := encryptFingerprint(k.cipher, a.actor.TenantID, a.fingerprint)
	if err != nil {
		return Record{}, err
	}
	location := reply.Header.Get("Location")
	if location == "" || len(location) > maxPath {
		location = a.request.Path
	}
	// A reply with data that requires a separate permission is stored encrypted or not at all.
	if len(sealed) > maxReply || keyID == "" && reply.Header.Get(httpapi.HeaderReveals) != "" {
		sealed = nil
	}
	record := Record{
		TenantID: a.actor.TenantID, Scope: scope, IdempotencyKey: key, Fingerprint: recordTag, SealedFingerprint: sealedFingerprint,
		Method: a.request.Method, Path: clip.Bytes(a.request.Path, maxPath), RequestID: principal.Request(ctx),
		ActorKind: string(a.actor.Kind), ActorID: a.actor.ActorID(), ActorName: a.actor.Name,
		Status: reply.Status, Reply: sealed, Location: clip.Bytes(location, maxPath), CipherKey: keyID,
		DurationUS: clock.Since(a.started).Microseconds(), CreatedTime: now, ExpiresTime: now.Add(k.retentionOf(a.request)),
	}
	if a.actor.OnBehalfOf != "" {
		record.OnBehalfOf = &a.actor.OnBehalfOf
	}
	return record, nil
}

// inProgressIfExists replaces errKeyExists with the error response RequestInProgress.
func (a *attempt) inProgressIfExists(err error) error {
	if errors.Is(err, errKeyExists) {
		return httpapi.InProgress().Because(errKeyExists)
	}
	return err
}

// recorded updates the quota and process memory after a record was committed.
func (a *attempt) recorded(record Record, reply httpapi.StoredReply) {
	a.replies.quota.added(holderOf(a.actor))
	if record.ID == 0 {
		// The response of COMMIT contains the id, and it was lost. The first repeat reads the
		// record.
		return
	}
	if record.Reply == nil {
		reply = locationReply(record.Location)
	}
	a.replies.memory.put(a.epoch, a.scopedKey(), &answer{seenRecord: record.asSeen(), request: a.fingerprint, spelling: a.spelling, method: record.Method, path: record.Path, reply: reply})
}
