// Package audit is a view: it reads across domains and names none.
package audit

import (
	_ "interlock/internal/catalog" // forbidden: depguard
	_ "interlock/internal/edge/httpapi"
)
