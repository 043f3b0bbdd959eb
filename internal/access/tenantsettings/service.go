// Package tenantsettings stores the settings that the admins of a tenant change.
//
// Settings determine the required votes of all other protected changes, so each change of them needs
// votes itself. The rows are protected: package guard rejects a write in a unit that applies no
// approval. Every version is stored.
package tenantsettings

import (
	"interlock/internal/approvals"
	"interlock/internal/base/storage"
)

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	db     *storage.DB
	cached rulesCache
	// approvals stores proposed changes until they have their votes.
	approvals *approvals.Service
}

// New returns a Service. Offer connects it to the approvals.
func New(db *storage.DB) *Service { return &Service{db: db} }
