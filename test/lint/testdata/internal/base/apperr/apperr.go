// Package apperr is at the bottom.
package apperr

import (
	_ "interlock/internal/base/clock"
	_ "interlock/internal/catalog" // forbidden: depguard
)
