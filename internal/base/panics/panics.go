// Package panics makes an error of a panic where others must go on: the caller of a request, those
// who share a flush, the rest of a queue.
package panics

import (
	"fmt"
	"runtime/debug"
)

// Error returns what recover returned as an error, for logs: it has the stack. It is called by the
// deferred function that recovered, while the stack is still that of the panic.
func Error(recovered any) error { return fmt.Errorf("panic: %v\n%s", recovered, debug.Stack()) }
