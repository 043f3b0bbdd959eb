package promises

import (
	"context"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// ReadPermission is required to read the promises.
const ReadPermission = "promises:read"

// Permissions are the permissions of this package for roles and tokens.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See the promises, the times of their checks, and their violations."},
}

// Routes registers the promises.
func Routes(r *httpapi.Router, s *Service) {
	httpapi.Get(r, "/promises", ReadPermission, func(ctx context.Context, _ httpapi.None) (listView, error) { return s.list(ctx) })
	httpapi.Get(r, "/promises/export", ReadPermission, func(ctx context.Context, _ httpapi.None) (signedView, error) { return s.export(ctx) })
}
