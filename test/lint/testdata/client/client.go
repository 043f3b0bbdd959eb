// Package client is what outsiders import.
package client

import _ "interlock/internal/base/clock" // forbidden: depguard
