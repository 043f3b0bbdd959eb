// Package uow is a unit of work.
package uow

import (
	_ "interlock/internal/httpapi" // forbidden: depguard
	_ "interlock/internal/principal"
)
