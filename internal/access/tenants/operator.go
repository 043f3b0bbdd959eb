package tenants

import (
	"context"
	"os"
	"os/user"
	"strconv"
	"sync"

	"interlock/internal/base/principal"
)

// operator is the actor name of the command line.
const operator = "command line"

// operatingUser is the operating-system user that runs the program, for the audit log.
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
