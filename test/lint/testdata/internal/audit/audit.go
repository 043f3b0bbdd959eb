// Package audit is the log of mutations.
package audit

import _ "interlock/internal/httpapi" // forbidden: depguard
