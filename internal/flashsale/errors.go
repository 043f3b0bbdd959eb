package flashsale

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/flashsale/gate"
	"interlock/internal/lock"
)

// unavailable is the error for callers when the gate or the queue cannot be reached.
func unavailable(err error) error {
	return apperr.New(apperr.Unavailable, "Flash sales are unavailable right now. Try again.").After(time.Second).Because(err)
}

// purchaseUnknown is the error for a purchase that was sent to the gate without a reply. The ticket
// shows the outcome later, with or without an idempotency key.
func purchaseUnknown(ticket string, err error) *apperr.Error {
	return followed(ticket, err, "The purchase was sent without a reply; it may have been accepted.")
}

// followed returns OutcomeUnknown for a purchase; its ticket shows the outcome later.
func followed(ticket string, err error, sentence string) *apperr.Error {
	return apperr.New(apperr.OutcomeUnknown, "%s Check its ticket, or send it again with the same idempotency key.", sentence).
		With("ticket", ticket).After(time.Second).Because(err)
}

// tooFewReplicas is the error for a purchase that is stored on fewer Redis replicas than the
// sale requires.
func tooFewReplicas(sale *Sale, ticket string, err error) *apperr.Error {
	if !errors.Is(err, gate.ErrUnknown) {
		return apperr.New(apperr.Unavailable, "%s pauses orders for a moment: it cannot store them safely enough. Nothing was bought. Try again.", sale.Label()).
			After(time.Second).Because(err)
	}
	return followed(ticket, err, fmt.Sprintf("The purchase was accepted, but is not stored yet as safely as %s requires.", sale.Label()))
}

// rebuilding is the reply to a purchase while the gate has to be rebuilt. The sale is open, so the
// reply is not sale_not_open, which clients treat as final.
func rebuilding(sale *Sale) *apperr.Error {
	return apperr.New(apperr.Unavailable, "%s temporarily accepts no orders while it recovers. Nothing was bought. Try again.", sale.Label()).
		After(time.Second)
}

// gateError converts err for callers of the back office.
func gateError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gate.ErrNoGate):
		return unavailable(err)
	case errors.Is(err, lock.ErrNotAcquired):
		return err
	}
	var known *apperr.Error
	if errors.As(err, &known) {
		return err
	}
	return unavailable(err)
}

func missing(id int64) *apperr.Error {
	return apperr.MissingRow("flash sale", strconv.FormatInt(id, 10))
}

// isTransient reports whether an error means that a dependency was unreachable or busy,
// which is not a fault of the ticket.
func isTransient(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, gate.ErrNoGate) || errors.Is(err, errGateUnreachable) ||
		errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrLost) || errors.Is(err, lock.ErrUnavailable) ||
		apperr.Has(err, apperr.ResourceLocked) || apperr.Has(err, apperr.Unavailable) || apperr.Has(err, apperr.OutcomeUnknown) ||
		storage.IsAway(err) || storage.IsConflict(err) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// errGateUnreachable marks errors of the gate's store.
var errGateUnreachable = errors.New("flashsale: the gate cannot be reached")

// unreachable marks an error of the gate's store, except ErrNoGate.
func unreachable(err error) error {
	if err == nil || errors.Is(err, gate.ErrNoGate) {
		return err
	}
	return errors.Join(errGateUnreachable, err)
}
