// Package apperr is at the bottom.
package apperr

import _ "interlock/internal/clock" // forbidden: depguard
