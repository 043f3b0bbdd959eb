// Package orders is a domain with a neighbour.
package orders

import (
	_ "github.com/labstack/echo/v4"

	_ "interlock/internal/access" // forbidden: depguard
	_ "interlock/internal/httpapi"
)
