package orders

import (
	_ "github.com/labstack/echo/v4" // forbidden: depguard

	_ "interlock/internal/app" // forbidden: depguard depguard
	_ "interlock/internal/apperr"
	_ "interlock/internal/catalog" // forbidden: depguard
	_ "interlock/internal/guard"
	_ "interlock/internal/settings" // forbidden: depguard depguard
	_ "interlock/internal/uow"
)
