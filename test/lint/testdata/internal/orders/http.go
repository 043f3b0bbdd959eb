// Package orders is above the catalog and below sales.
package orders

import (
	_ "github.com/labstack/echo/v4" // forbidden: depguard

	_ "interlock/internal/access" // forbidden: depguard
	_ "interlock/internal/edge/httpapi"
)
