// Package uow is a unit of work.
package uow

import (
	_ "interlock/internal/base/principal"
	_ "interlock/internal/edge/httpapi" // forbidden: depguard
)

// Unit is one atomic piece of work.
type Unit struct{}

// Apply sets the approval that the unit applies.
func (*Unit) Apply(int64) {}
