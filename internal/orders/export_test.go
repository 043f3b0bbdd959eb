package orders

import (
	"context"
	"io"

	"interlock/internal/base/status"
	"interlock/internal/core/uow"
)

// What the tests of this package see of its inside.
var (
	Total       = total
	OrderNumber = orderNumber
)

// PlainUnits returns units of a batch that is never repeated under a key.
func PlainUnits(runner *uow.Runner) Units { return plainUnits{runner} }

// WithRandom returns the service with another source of order numbers.
func (s *Service) WithRandom(random io.Reader) *Service {
	other := *s
	other.random = random
	return &other
}

// TransitionUnguarded is Transition as it must not be: its UPDATE leaves the predicates on
// status and version out. between runs after the status was read and before it is
// written.
func (s *Service) TransitionUnguarded(ctx context.Context, u *uow.Unit, order *Order, step Step, between func()) (*Order, error) {
	u.Audit(uow.Entry{Action: "order." + step.action(), Resource: Topic})
	return s.lifecycle().Transition(ctx, u, order, step.action(), nil, func(to status.State) (*Order, error) {
		between()
		tx, err := u.Tx(ctx)
		if err != nil {
			return nil, err
		}
		after := *order
		after.Status = to.Code
		return &after, tx.Exec("UPDATE orders SET status = ?, version = version + 1 WHERE tenant_id = ? AND id = ?",
			to.Code, order.TenantID, order.ID).Error
	})
}

// HangUpAt is a step whose caller hangs up while its nth order is moved.
func HangUpAt(step Step, n int, hang func()) Step { return &hangUp{Step: step, left: n, hang: hang} }

type hangUp struct {
	Step
	left int
	hang func()
}

func (h *hangUp) fill(order *Order) {
	h.Step.fill(order)
	if h.left--; h.left == 0 {
		h.hang()
	}
}
