package access

import (
	"context"
	"os"
	"os/user"
	"strconv"
	"sync"

	"interlock/internal/base/principal"
)

// operator names who acts when a command of the program does, by the user of the operating system
// that runs it: "command line (li)".
var operator = sync.OnceValue(func() string {
	name := "uid " + strconv.Itoa(os.Getuid())
	if who, err := user.Current(); err == nil && who.Username != "" {
		name = who.Username
	}
	return "command line (" + string([]rune(name)[:min(len([]rune(name)), 64)]) + ")"
})

// AsOperator returns a context in which a command acts on a tenant.
func AsOperator(ctx context.Context, tenantID int64) context.Context {
	return principal.With(ctx, principal.System(tenantID, operator()))
}
