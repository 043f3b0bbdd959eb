package audit

import (
	_ "interlock/internal/catalog" // forbidden: depguard
	_ "interlock/internal/httpapi"
)
