// Package httpapi knows HTTP and no domain.
package httpapi

import (
	_ "github.com/labstack/echo/v4"

	_ "interlock/internal/base/principal"
	_ "interlock/internal/catalog" // forbidden: depguard
)
