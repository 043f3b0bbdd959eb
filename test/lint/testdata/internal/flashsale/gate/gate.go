// Package gate is in a domain of the highest tier.
package gate

import (
	_ "interlock/internal/config" // forbidden: depguard
	_ "interlock/internal/orders"
)
