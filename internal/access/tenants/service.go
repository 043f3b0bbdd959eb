package tenants

import (
	"sync"

	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	db     *storage.DB
	runner *uow.Runner
	// byName caches tenants.
	byName sync.Map
	// changed is called after each commit that changed permissions.
	changed func()
}

// New returns a Service. changed is called after each commit of this process that changed permissions.
func New(db *storage.DB, runner *uow.Runner, changed func()) *Service {
	return &Service{db: db, runner: runner, changed: changed}
}
