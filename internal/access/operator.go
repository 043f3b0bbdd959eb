package access

import (
	"context"
	"os"
	"os/user"
	"strconv"
	"sync"

	"interlock/internal/base/principal"
)

// operator is who acts when a command of the program does.
const operator = "command line"

// operatingUser is the user of the operating system that runs the program, whom the audit log names.
var operatingUser = sync.OnceValue(func() string {
	name := "uid " + strconv.Itoa(os.Getuid())
	if who, err := user.Current(); err == nil && who.Username != "" {
		name = who.Username
	}
	return string([]rune(name)[:min(len([]rune(name)), 64)])
})

// AsOperator returns a context in which a command acts on a tenant.
func AsOperator(ctx context.Context, tenant Tenant) context.Context {
	p := principal.System(tenant.ID, operator)
	p.Currency = tenant.Currency
	p.OperatingUser = operatingUser()
	return principal.With(ctx, p)
}
