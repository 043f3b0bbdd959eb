// Package lock is a port.
package lock

import (
	_ "interlock/internal/base/clock"
	_ "interlock/internal/core/uow" // forbidden: depguard
)
