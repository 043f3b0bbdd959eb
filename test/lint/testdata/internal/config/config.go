// Package config is a domain of the lowest tier.
package config

import (
	_ "interlock/internal/catalog"
	_ "interlock/internal/orders" // forbidden: depguard
)
