package orders

import (
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
)

// Completion ends an order that has arrived. It changes only the status.
type Completion struct{}

func (Completion) action() string     { return "complete" }
func (Completion) fill(*Order)        {}
func (Completion) locks(*Order) locks { return locks{} }

func (Completion) possible(*Order) *apperr.Error { return nil }

func (Completion) prepare(context.Context, *uow.Unit, *Service, *Order) error { return nil }

func (Completion) apply(context.Context, *uow.Unit, *Service, *Order, *Order) error { return nil }
