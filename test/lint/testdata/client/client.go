// Package client is what outsiders import.
package client

import _ "interlock/internal/clock" // forbidden: depguard
