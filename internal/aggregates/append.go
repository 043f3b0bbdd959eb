package aggregates

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/lock"
)

// Written is the outcome of a write.
type Written struct {
	// Version is the aggregate's version after the last of the events.
	Version int64
	// Applied is the number of written events.
	Applied int
}

// Append writes the events of a request, all or none. The first events of an aggregate create it.
// Append waits at most wait for other writers of the aggregate, and not for another attempt of the
// same first event.
//
// It checks, in this order: whether an event was already written; with Enforce, whether the writer
// has used a higher sequence; the version; the counters.
//
// Errors: IdempotencyViolation (number 2002), PayloadMismatch, SequenceSuperseded,
// InflightDuplicate (number 2013), VersionConflict, ValidationFailed, LimitReached,
// lock.ErrNotAcquired.
func (s *Service) Append(ctx context.Context, u *uow.Unit, w Write, wait time.Duration) (Written, error) {
	if err := w.check(); err != nil {
		return Written{}, err
	}
	rows, err := w.rows(keyNames(ctx))
	if err != nil {
		return Written{}, err
	}
	ctx, err = s.lockWrite(ctx, u, w, rows, wait)
	if err != nil {
		return Written{}, s.counted(err)
	}
	aggregate, err := s.append(ctx, u, w, rows)
	if err != nil {
		return Written{}, s.counted(err)
	}
	u.Audit(uow.Entry{Action: "aggregate.append", Resource: resource(w.Name), Detail: map[string]any{
		"version": aggregate.Version, "clientId": w.ClientID, "applied": len(rows),
	}})
	change.Announce(u, s.bus, Topic, w.Name.String(), events.Change{Version: aggregate.Version, ETag: aggregate.Ref().ETag(), Action: "append"})
	u.AfterCommit(func(context.Context) { s.metrics.applied.Add(float64(len(rows))) })
	return Written{Version: aggregate.Version, Applied: len(rows)}, nil
}

// lockWrite acquires the lock of the attempt and then the lock of the aggregate. If another attempt
// has the lock of the attempt, the error reports the events that this or an earlier attempt has
// written.
func (s *Service) lockWrite(ctx context.Context, u *uow.Unit, w Write, rows []Event, wait time.Duration) (context.Context, error) {
	p, _ := principal.From(ctx)
	if keys := attemptKeys(p.TenantID, w.Name, &rows[0]); len(keys) > 0 {
		attempt, err := u.Lock(ctx, 0, keys...)
		if errors.Is(err, lock.ErrNotAcquired) {
			return ctx, s.rejectConcurrent(ctx, w, rows)
		}
		if err != nil {
			return ctx, err
		}
		ctx = attempt
	}
	return s.lock(ctx, u, w.Name, wait)
}

func (s *Service) lock(ctx context.Context, u *uow.Unit, name Name, wait time.Duration) (context.Context, error) {
	p, _ := principal.From(ctx)
	return u.Lock(ctx, wait, fmt.Sprintf("aggregate:%d:%s", p.TenantID, name))
}

// attemptKeys returns the lock keys of an attempt: digests of the names of its first event. An
// event without names has none. Overlapping requests that start with different events meet at the
// lock of the aggregate.
func attemptKeys(tenant int64, name Name, first *Event) (keys []string) {
	key := func(kind, text string) {
		digest := sha256.Sum256([]byte(name.String() + "\n" + text))
		keys = append(keys, fmt.Sprintf("%s:%d:%s", kind, tenant, base64.RawURLEncoding.EncodeToString(digest[:])))
	}
	if first.ClientSeq != nil {
		key("event-seq", strconv.FormatInt(*first.ClientSeq, 10)+"\n"+first.ClientID)
	}
	if first.EventID != nil {
		key("event-id", *first.EventID)
	}
	return keys
}

// rejectConcurrent returns the error of an attempt that runs concurrently with another one: the
// error for the events that are already recorded, or InflightDuplicate if none is.
func (s *Service) rejectConcurrent(ctx context.Context, w Write, rows []Event) error {
	db := s.db.Read(ctx)
	aggregate, err := find(db, w.Name)
	if err != nil {
		return err
	}
	recorded, err := findRecorded(db, aggregate, rows)
	if err != nil {
		return err
	}
	if err := recorded.reject(rows, false); err != nil {
		return err
	}
	return inFlight(&rows[0])
}

// append writes rows under the locks and returns the updated aggregate.
func (s *Service) append(ctx context.Context, u *uow.Unit, w Write, rows []Event) (*Aggregate, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	aggregate, err := find(forUpdate(tx), w.Name)
	if err != nil {
		return nil, err
	}
	recorded, err := findRecorded(tx, aggregate, rows)
	if err != nil {
		return nil, err
	}
	if err := recorded.reject(rows, w.Enforce); err != nil {
		return nil, err
	}
	if w.Expected != nil && *w.Expected != aggregate.Version {
		return nil, s.versionConflict(w.Name, *w.Expected)
	}
	if aggregate.Counters, err = sum(aggregate.Counters, rows); err != nil {
		return nil, err
	}
	highestSeq := highest(rows)
	if highestSeq != nil && recorded.lastSeq == nil {
		if aggregate.WriterCount++; aggregate.WriterCount > maxWriters {
			return nil, tooManyWriters(w.Name)
		}
	}
	if err := advance(ctx, u, aggregate, int64(len(rows))); err != nil {
		return nil, err
	}
	if err := insertEvents(ctx, u, aggregate, rows); err != nil {
		return nil, err
	}
	return aggregate, advanceWriter(tx, aggregate, w.ClientID, recorded.lastSeq, highestSeq)
}

func tooManyWriters(name Name) error {
	return apperr.New(apperr.LimitReached, "%d clients have used sequences in the aggregate %q, which is the limit; nothing was changed. Use event ids instead.",
		maxWriters, name).WithMembers(writersFullView{maxWriters})
}

// advance writes the counters of an aggregate that the unit has locked, and increments its version
// by steps:
//
//	UPDATE aggregates SET counters = ?, writer_count = ?, version = version + ?
//	 WHERE tenant_id = ? AND id = ? AND version = ?
//
// The first events insert the row. If two units insert it concurrently, the second gets a duplicate
// key; it is retried and finds the row.
func advance(ctx context.Context, u *uow.Unit, a *Aggregate, steps int64) error {
	if a.ID == 0 {
		err := guard.InsertAt(ctx, u, a, steps)
		if storage.IsDuplicate(err, "uq_aggregates_name") {
			return changedConcurrently()
		}
		if err != nil {
			return fmt.Errorf("insert aggregate: %w", err)
		}
		return nil
	}
	counters, err := json.Marshal(a.Counters)
	if err != nil {
		return fmt.Errorf("encode counters: %w", err)
	}
	err = guard.UpdateBy[Aggregate](ctx, guard.Deferred(u), a.Ref(), steps, guard.Set{"counters": string(counters), "writer_count": a.WriterCount})
	if errors.Is(err, guard.ErrStale) {
		return changedConcurrently()
	}
	if err != nil {
		return fmt.Errorf("advance aggregate: %w", err)
	}
	return guard.AdvanceBy(ctx, u, a, steps)
}

// changedConcurrently retries the unit, because another writer has changed the rows that it read.
// After repeated retries, it is the error of the request.
func changedConcurrently() error {
	return uow.Retry(apperr.New(apperr.ResourceLocked, "Others wrote to the same aggregate at the same time; nothing was changed. Try again.").After(time.Second))
}

// versionConflict returns VersionConflict, as read from the committed rows.
func (s *Service) versionConflict(name Name, expected int64) error {
	return uow.Explain(func(ctx context.Context) error {
		state, err := s.State(ctx, name)
		switch {
		case apperr.Has(err, apperr.NotFound):
			return apperr.New(apperr.VersionConflict, "The aggregate %q does not exist, so it is not at version %d; nothing was changed.", name, expected).
				WithMembers(movedOnView{ExpectedVersion: expected})
		case err != nil:
			return err
		case state.Version == expected:
			return changedConcurrently()
		}
		current := viewOf(state)
		return apperr.New(apperr.VersionConflict, "The aggregate %q is at version %d and not at %d; nothing was changed.", name, state.Version, expected).
			WithMembers(movedOnView{expected, current.Version, &current.ETag, &current.UpdatedBy, &current.UpdatedTime, &current})
	})
}
