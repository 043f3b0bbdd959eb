package app

import (
	"context"
	"encoding/json"
	"sync"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// topicPermissions returns the read permission of each topic of changes.
var topicPermissions = sync.OnceValue(func() map[string]string {
	permissions := map[string]string{}
	for _, topic := range topics(collect(Declarations(), func(d *module.Declaration) []module.Resource { return d.Resources })) {
		permissions[topic.Name] = topic.Permission
	}
	return permissions
})

// recordsOfWebhooks reads records through their routes, as a user who has only the permission to read
// them. It has a separate router because workers, which also deliver, serve none.
type recordsOfWebhooks struct {
	services *Services
	once     sync.Once
	router   *httpapi.Router
}

// Read implements webhooks.Records.
func (r *recordsOfWebhooks) Read(ctx context.Context, user int64, permission, path string) (json.RawMessage, error) {
	reader, able, err := r.services.Access.Users.Reader(ctx, user, permission)
	if err != nil || !able {
		return nil, err
	}
	r.once.Do(func() {
		r.router = httpapi.NewServer(httpapi.Options{}).Router()
		r.services.routes(r.router)
	})
	body, err := r.router.Read(principal.With(ctx, reader), path)
	if apperr.Has(err, apperr.NotFound) || apperr.Has(err, apperr.Forbidden) {
		return nil, nil
	}
	return body, err
}
