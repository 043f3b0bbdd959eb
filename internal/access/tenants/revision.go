package tenants

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// revisionRow counts the changes of permissions in a tenant. A rule over several rows, such as
// that some user has access:*, could be violated by two concurrent units that each satisfy it.
// Every such change therefore increments this row; of two concurrent units the second waits or is
// retried.
type revisionRow struct {
	TenantID int64 `gorm:"primaryKey;autoIncrement:false"`
	Version  int64
}

// TableName implements gorm's Tabler.
func (revisionRow) TableName() string { return "access_revisions" }

// BumpRevision increments the tenant's revision:
//
//	UPDATE access_revisions SET version = version + 1 WHERE tenant_id = ?
//
// Until the transaction ends, no other unit can change permissions or, for example, end sessions
// that depend on them. All units lock the guarded row that they change before the revision; a
// unit that changes no guarded row calls raise first. After the commit this process reads its
// callers again; other processes notice the revision within one second.
func (s *Service) BumpRevision(ctx context.Context, u *uow.Unit) (*gorm.DB, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	result := tx.Exec("UPDATE access_revisions SET version = version + 1 WHERE tenant_id = ?", caller.TenantID)
	if err := result.Error; err != nil {
		return nil, fmt.Errorf("raise the tenant's revision: %w", err)
	}
	if result.RowsAffected != 1 {
		return nil, errNoRevision
	}
	u.AfterCommit(func(context.Context) { s.changed() })
	return tx, nil
}

// Revisions returns the sum of all tenants' revisions, which increases with each change.
func (s *Service) Revisions(ctx context.Context) (int64, error) {
	var sum int64
	err := s.db.Read(storage.AcrossTenants(ctx)).Model(&revisionRow{}).Select("COALESCE(SUM(version), 0)").Scan(&sum).Error
	return sum, err
}

var errNoRevision = errors.New("access: the tenant has no revision")
