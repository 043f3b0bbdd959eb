// Package approvals may say that a unit applies an approval.
package approvals

import (
	_ "interlock/internal/config" // forbidden: depguard
	"interlock/internal/core/uow"
)

// Apply applies one.
func Apply(u *uow.Unit) { u.Apply(1) }
