package storagetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
)

// Thing is a guarded row for tests of the core, which does not depend on domains.
type Thing struct {
	guard.Row
	Name   string
	Status int
	Amount int64
}

// CreateThings creates the table of Thing.
func CreateThings(t *testing.T, ctx context.Context, db *storage.DB) {
	t.Helper()
	key, when := "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", "DATETIME(6)"
	if db.Dialect == storage.SQLite {
		key, when = "INTEGER PRIMARY KEY AUTOINCREMENT", "DATETIME"
	}
	err := db.Write(storage.AcrossTenants(ctx)).Exec(`CREATE TABLE IF NOT EXISTS things (
		id ` + key + `, tenant_id BIGINT NOT NULL, version BIGINT NOT NULL,
		created_time ` + when + ` NOT NULL, updated_time ` + when + ` NOT NULL,
		updated_by BIGINT NOT NULL, updated_by_name VARCHAR(100) NOT NULL,
		name VARCHAR(64) NOT NULL, status INT NOT NULL, amount BIGINT NOT NULL,
		CONSTRAINT uq_things_name UNIQUE (tenant_id, name))`).Error
	require.NoError(t, err)
}
