package orders

import (
	"context"
	"errors"
	"strconv"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
)

// The verdicts on one row of a batch.
const (
	// Done: the step was applied to the order.
	Done = "done"
	// Conflict: the order's status does not allow the step, another caller changed the order first,
	// or stock, money or a lock is missing.
	Conflict = "conflict"
	// Invalid: the order does not exist, or the step violates a rule.
	Invalid = "invalid"
)

// Verdict is the outcome of one order of a batch.
type Verdict struct {
	ID int64 `json:"id"`
	// `conflict`: the order's status does not allow the action, another request came first, the
	// wallet has too little, or the reference of the payment paid another order. `invalid`: the
	// order does not exist, or a rule is violated.
	Verdict string      `json:"verdict" validate:"oneof=done conflict invalid"`
	Code    apperr.Code `json:"code,omitempty"`
	Detail  string      `json:"detail,omitempty"`
	// The order's current status, if it was read.
	Status status.Name[Order] `json:"status,omitempty"`
}

// Units runs each part of a request, such as an order of a batch, in a separate unit. fn sets
// outcome. If an earlier attempt of the request has committed the part, Do sets outcome to the
// stored outcome instead; fn does not run, or its unit is rolled back.
type Units interface {
	Do(ctx context.Context, part string, outcome any, fn uow.Func) error
}

// TransitionEach applies a step to each order in a separate unit, in the order of ids, so that a
// rejected order does not affect the others.
//
// If ctx ends, because the client disconnected or the deadline passed, or if the database fails,
// the completed orders stay completed and the rest is unchanged. The verdicts so far are returned
// with the error; if the error is OutcomeUnknown, the order after the last verdict may have changed
// too.
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
		verdict = Verdict{ID: id, Verdict: Done, Status: status.NameOf[Order](after.Status)}
		return nil
	})
	if err == nil {
		return verdict, nil
	}
	return verdictOn(id, err)
}

// verdictOn returns the verdict for a rejection of one order, and the error for a failure that ends
// the batch.
func verdictOn(id int64, err error) (Verdict, error) {
	var rejection *apperr.Error
	if errors.Is(err, lock.ErrNotAcquired) {
		rejection = apperr.New(apperr.ResourceLocked, "Another operation has locked its stock or its wallet for too long.")
	} else if !errors.As(err, &rejection) {
		return Verdict{}, err
	}
	verdict := Verdict{ID: id, Code: rejection.Code, Detail: rejection.Detail}
	switch rejection.Code {
	case apperr.TransitionNotAllowed, apperr.StatusChanged:
		verdict.Verdict = Conflict
		current, _ := rejection.Members["currentStatus"].(string)
		verdict.Status = status.Name[Order](current)
	case apperr.NothingToShip, apperr.PayloadMismatch, apperr.InsufficientBalance, apperr.InsufficientStock, apperr.ResourceLocked:
		verdict.Verdict = Conflict
	case apperr.NotFound, apperr.ValidationFailed:
		verdict.Verdict = Invalid
	default:
		return Verdict{}, err
	}
	return verdict, nil
}
