// Package panics converts panics to errors where other work must continue: other callers of
// a request or a flush, the rest of a queue.
package panics

import (
	"fmt"
	"runtime/debug"
)

// Error converts the value of recover to an error for logs, with the stack. The deferred
// function that recovered must call it, because the stack is then still that of the panic.
func Error(recovered any) error { return fmt.Errorf("panic: %v\n%s", recovered, debug.Stack()) }
