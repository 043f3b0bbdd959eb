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

// Written is what became of a write.
type Written struct {
	// Version is that of the aggregate since the last of the events.
	Version int64
	// Applied is how many events were written.
	Applied int
}

// Append writes the events of a request, all or none. The first ones of an aggregate
// make it. Other writers of the aggregate are waited for as long as wait says; another
// attempt of the same first event is not.
//
// It is asked, in this order, whether any event was written before; with Enforce whether
// the writer has used a higher sequence; the version; the counters.
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

// lockWrite takes the lock of the attempt and then that of the aggregate. When another
// attempt holds the first, the answer is what that one, or one before it, has written.
func (s *Service) lockWrite(ctx context.Context, u *uow.Unit, w Write, rows []Event, wait time.Duration) (context.Context, error) {
	p, _ := principal.From(ctx)
	if keys := attemptKeys(p.TenantID, w.Name, &rows[0]); len(keys) > 0 {
		mine, err := u.Lock(ctx, 0, keys...)
		if errors.Is(err, lock.ErrNotAcquired) {
			return ctx, s.refuseConcurrent(ctx, w, rows)
		}
		if err != nil {
			return ctx, err
		}
		ctx = mine
	}
	return s.lock(ctx, u, w.Name, wait)
}

// lock takes the lock of an aggregate.
func (s *Service) lock(ctx context.Context, u *uow.Unit, name Name, wait time.Duration) (context.Context, error) {
	p, _ := principal.From(ctx)
	return u.Lock(ctx, wait, fmt.Sprintf("aggregate:%d:%s", p.TenantID, name))
}

// attemptKeys are the locks of an attempt: the names of its first event, at a bounded
// length and with nothing of the caller's own text in them. An event without names has
// none. Overlapping requests that begin with different events meet at the aggregate.
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

// refuseConcurrent refuses an attempt beside another one: for what that has written, or
// as InflightDuplicate.
func (s *Service) refuseConcurrent(ctx context.Context, w Write, rows []Event) error {
	db := s.db.Read(ctx)
	aggregate, err := find(db, w.Name)
	if err != nil {
		return err
	}
	recorded, err := findRecorded(db, aggregate, rows)
	if err != nil {
		return err
	}
	if err := recorded.refuse(rows, false); err != nil {
		return err
	}
	return inFlight(&rows[0])
}

// append writes rows under the locks and returns the aggregate as they make it.
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
	if err := recorded.refuse(rows, w.Enforce); err != nil {
		return nil, err
	}
	if w.Expected != nil && *w.Expected != aggregate.Version {
		return nil, s.movedOn(w.Name, *w.Expected)
	}
	if aggregate.Counters, err = sum(aggregate.Counters, rows); err != nil {
		return nil, err
	}
	most := highest(rows)
	if most != nil && recorded.lastSeq == nil {
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
	return aggregate, advanceWriter(tx, aggregate, w.ClientID, recorded.lastSeq, most)
}

func tooManyWriters(name Name) error {
	return apperr.New(apperr.LimitReached, "%d clients have used sequences in the aggregate %q, which is as many as there can be; nothing was changed. Give the events ids instead.",
		maxWriters, name).With("limit", maxWriters)
}

// advance writes the counters of an aggregate that the unit holds, and raises its version
// by so many:
//
//	UPDATE aggregates SET counters = ?, writer_count = ?, version = version + ?
//	 WHERE tenant_id = ? AND id = ? AND version = ?
//
// The first events insert the row. When two units insert it at once, the second finds the
// key taken. That says nothing of its events, so the unit is run again and finds the row.
func advance(ctx context.Context, u *uow.Unit, a *Aggregate, steps int64) error {
	if a.ID == 0 {
		err := guard.InsertAt(ctx, u, a, steps)
		if storage.IsDuplicate(err, "uq_aggregates_name") {
			return movedMeanwhile()
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
		return movedMeanwhile()
	}
	if err != nil {
		return fmt.Errorf("advance aggregate: %w", err)
	}
	return guard.AdvanceBy(ctx, u, a, steps)
}

// movedMeanwhile runs the unit again, because others changed what it has read. When that
// keeps happening, this is what the caller is told.
func movedMeanwhile() error {
	return uow.Retry(apperr.New(apperr.ResourceLocked, "Others wrote to the same aggregate at the same time; nothing was changed. Try again.").After(time.Second))
}

// movedOn is VersionConflict, told from what is committed.
func (s *Service) movedOn(name Name, expected int64) error {
	return uow.Explain(func(ctx context.Context) error {
		e := apperr.New(apperr.VersionConflict, "There is no aggregate %q yet, so it is not at version %d; nothing was changed.", name, expected).
			With("expectedVersion", expected).With("currentVersion", 0).With("currentEtag", nil).
			With("updatedBy", nil).With("updatedTime", nil).With("current", nil)
		state, err := s.State(ctx, name)
		switch {
		case apperr.Has(err, apperr.NotFound):
			return e
		case err != nil:
			return err
		case state.Version == expected:
			return movedMeanwhile()
		}
		stamp := state.Stamp()
		e.Detail = fmt.Sprintf("The aggregate %q is at version %d and not at %d; nothing was changed.", name, state.Version, expected)
		e.With("currentVersion", stamp.Version).With("currentEtag", stamp.ETag).With("updatedBy", stamp.UpdatedBy).With("updatedTime", stamp.UpdatedTime)
		return e.With("current", stateViewOf(state))
	})
}
