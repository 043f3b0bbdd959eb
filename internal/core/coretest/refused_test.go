package coretest

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// refusedPart is a statement of a unit that the engine rejects, identified by the start of
// its text. The server may have executed a rejected statement that returns no rows.
type refusedPart struct {
	name, text string
	executed   bool
}

var refusedParts = []refusedPart{
	{"a note outside of it", "INSERT INTO notes", false},
	{"a read outside of it", "SELECT COUNT(*) FROM notes", false},
	{"its BEGIN", "START TRANSACTION", false},
	{"its first INSERT", "INSERT INTO things", false},
	{"its read", "SELECT count(*) FROM things", false},
	{"its UPDATE", "UPDATE things", false},
	{"its INSERT that waits", "INSERT INTO audit_entries", false},
	{"its first INSERT, executed", "INSERT INTO things", true},
	{"its UPDATE, executed", "UPDATE things", true},
}

// addAndCount is a unit with a statement of each kind: outside its transaction it inserts a
// note and reads; inside it inserts a thing, reads, and counts it in another one.
func addAndCount(db *storage.DB, counted int64, name string) uow.Func {
	return func(ctx context.Context, u *uow.Unit) error {
		if err := db.Write(ctx).Exec("INSERT INTO notes (tenant_id, name) VALUES (1, ?)", name).Error; err != nil {
			return err
		}
		var n int64
		if err := db.Read(storage.AcrossTenants(ctx)).Raw("SELECT COUNT(*) FROM notes").Scan(&n).Error; err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "thing.create", Resource: "things/" + name})
		if err := guard.Insert(ctx, u, &storagetest.Thing{Name: name}); err != nil {
			return err
		}
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		if err := tx.Model(&storagetest.Thing{}).Count(&n).Error; err != nil {
			return err
		}
		return guard.Adjust[storagetest.Thing](ctx, u, counted, guard.Set{"amount": guard.Add("amount", 1)}, "status = ?", 0)
	}
}

// A temporary error of the engine leads to exactly one effect if the unit may run again,
// and otherwise to unavailable without effect; it is never reported as an internal error.
// Proves D2.
func TestEngineErrorsAreRetriedOrUnavailableNeverDoubled(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	everywhere := storage.AcrossTenants(ctx)
	require.NoError(t, db.Write(everywhere).Exec("CREATE TABLE notes (tenant_id BIGINT NOT NULL, name VARCHAR(100) NOT NULL)").Error)
	counted := storagetest.Thing{Name: "counted"}
	runner, _ := newRunner(db)
	require.NoError(t, runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		u.Audit(uow.Entry{Action: "thing.create", Resource: "things/counted"})
		return guard.Insert(ctx, u, &counted)
	}))
	done := 0
	for refusal, with := range storagetest.Refusals {
		for _, part := range refusedParts {
			for _, always := range []bool{false, true} {
				name := refusal + ": " + part.name + map[bool]string{true: ", each time"}[always]
				with.Executed = part.executed
				var refused atomic.Int64
				tap.Refuse(func(statement string) *storagetest.Refusal {
					if !strings.HasPrefix(strings.ReplaceAll(statement, "`", ""), part.text) || refused.Add(1) > 1 && !always {
						return nil
					}
					return &with.Refusal
				})
				runner, observed := newRunner(db)
				err := runner.Do(ctx, addAndCount(db, counted.ID, name))
				tap.Refuse(nil)
				require.NotZero(t, refused.Load(), name)
				if err == nil {
					require.False(t, always, name)
					require.NotEmpty(t, observed.retries, name)
					done++
				} else {
					require.True(t, always || !with.RunAgain, "%s: %v", name, err)
					require.True(t, apperr.Has(err, apperr.Unavailable), "%s: %v", name, err)
					require.Contains(t, err.Error(), "othing was changed", name)
				}
				var now storagetest.Thing
				require.NoError(t, db.Read(ctx).Take(&now, counted.ID).Error)
				require.EqualValues(t, done, now.Amount, name)
				require.EqualValues(t, done+1, count[storagetest.Thing](t, ctx, db), name)
				require.EqualValues(t, done+1, count[uow.AuditRow](t, ctx, db), name)
			}
		}
	}
}
