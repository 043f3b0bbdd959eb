package orders

import (
	_ "github.com/labstack/echo/v4" // forbidden: depguard

	_ "interlock/internal/app" // forbidden: depguard depguard
	_ "interlock/internal/base/apperr"
	_ "interlock/internal/catalog"
	_ "interlock/internal/core/guard"
	"interlock/internal/core/uow"
	_ "interlock/internal/settings"    // forbidden: depguard depguard
	_ "interlock/internal/views/audit" // forbidden: depguard
)

// Lift opens the gate of protected rows without an approval.
func Lift(u *uow.Unit) {
	u.Apply(1) // forbidden: forbidigo
}
