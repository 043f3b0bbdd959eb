// Package uow is a unit of work.
package uow

import (
	_ "interlock/internal/base/principal"
	_ "interlock/internal/edge/httpapi" // forbidden: depguard
)
