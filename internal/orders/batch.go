package orders

import (
	"context"
	"errors"
	"strconv"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
)

// The verdicts on one row of a batch.
const (
	// Done: the order was moved.
	Done = "done"
	// Conflict: the order's status does not allow it, somebody was faster, or what it
	// needs is not there.
	Conflict = "conflict"
	// Invalid: there is no such order, or it breaks a rule.
	Invalid = "invalid"
)

// Verdict is what became of one order of a batch.
type Verdict struct {
	ID      int64       `json:"id"`
	Verdict string      `json:"verdict"`
	Code    apperr.Code `json:"code,omitempty"`
	Detail  string      `json:"detail,omitempty"`
	// Status is the order's status now, where it is known.
	Status string `json:"status,omitempty"`
}

// Units runs each part of a request, such as an order of a batch, in a unit of its own. What
// outcome points to is what fn has set, or, when the request is a repeat and the part was
// committed before, what it was then: fn is not run, or in vain.
type Units interface {
	Do(ctx context.Context, part string, outcome any, fn uow.Func) error
}

// TransitionEach moves each order in a unit of its own, in the order given, so that one
// that is refused holds none of the others back.
//
// When ctx ends in the middle, because the caller hung up or its time is over, the
// orders that were done stay done and the rest is left as it was. The same holds
// when the database is lost. The verdicts so far are returned with the error; the
// order after the last of them may have been moved if the error is OutcomeUnknown.
func (s *Service) TransitionEach(ctx context.Context, units Units, ids []int64, step Step) ([]Verdict, error) {
	verdicts := make([]Verdict, 0, len(ids))
	for _, id := range ids {
		verdict, err := s.transitionOne(ctx, units, id, step)
		if err != nil {
			return verdicts, err
		}
		verdicts = append(verdicts, verdict)
	}
	return verdicts, nil
}

func (s *Service) transitionOne(ctx context.Context, units Units, id int64, step Step) (Verdict, error) {
	var verdict Verdict
	err := units.Do(ctx, strconv.FormatInt(id, 10), &verdict, func(ctx context.Context, u *uow.Unit) error {
		order, err := s.Order(ctx, id)
		if err != nil {
			return err
		}
		after, err := s.Transition(ctx, u, order, step, nil)
		if err != nil {
			return err
		}
		verdict = Verdict{ID: id, Verdict: Done, Status: Machine.Of(after.Status).Name}
		return nil
	})
	if err == nil {
		return verdict, nil
	}
	return verdictOn(id, err)
}

// verdictOn tells a refusal of one order from what ends the batch.
func verdictOn(id int64, err error) (Verdict, error) {
	var refusal *apperr.Error
	if errors.Is(err, lock.ErrNotAcquired) {
		refusal = apperr.New(apperr.ResourceLocked, "Another operation holds its stock or its wallet; it was not free in time.")
	} else if !errors.As(err, &refusal) {
		return Verdict{}, err
	}
	verdict := Verdict{ID: id, Code: refusal.Code, Detail: refusal.Detail}
	switch refusal.Code {
	case apperr.TransitionNotAllowed, apperr.StatusChanged:
		verdict.Verdict = Conflict
		verdict.Status, _ = refusal.Members["currentStatus"].(string)
	case apperr.NothingToShip, apperr.PayloadMismatch, apperr.InsufficientBalance, apperr.InsufficientStock, apperr.ResourceLocked:
		verdict.Verdict = Conflict
	case apperr.NotFound, apperr.ValidationFailed:
		verdict.Verdict = Invalid
	default:
		return Verdict{}, err
	}
	return verdict, nil
}
