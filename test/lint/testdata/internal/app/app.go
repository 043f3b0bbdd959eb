// Package app composes the program.
package app

import (
	_ "github.com/labstack/echo/v4" // forbidden: depguard

	_ "interlock/internal/access"
	_ "interlock/internal/settings"
)
