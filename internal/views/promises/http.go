package promises

import (
	"context"

	"interlock/internal/edge/httpapi"
)

// ReadPermission is required to read the promises.
const ReadPermission = "promises:read"

// Routes registers the promises.
func Routes(r *httpapi.Router, s *Service) {
	httpapi.Get(r, "/promises", ReadPermission, func(ctx context.Context, _ httpapi.None) (listView, error) { return s.list(ctx) })
	httpapi.Get(r, "/promises/export", ReadPermission, func(ctx context.Context, _ httpapi.None) (signedView, error) { return s.export(ctx) })
}
