package customers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/views/customers"
)

// A read uses the primary key, and finds the owners of rows by an index: its time does not
// grow with the tables.
// Proves E7.
func TestCustomerQueriesUseAnIndexOfOneTable(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	for _, read := range customers.New(customers.Deps{DB: db, Tables: app.Tables()}).Reads(ctx) {
		var plan []struct{ Detail string }
		require.NoError(t, db.Read(ctx).Raw("EXPLAIN QUERY PLAN "+read.Statement, read.Values...).Scan(&plan).Error)
		require.NotEmpty(t, plan)
		for _, step := range plan {
			if table, scans := strings.CutPrefix(step.Detail, "SCAN "); scans {
				// The rows after a position, or those of the read.
				require.Equal(t, "x", strings.Fields(table)[0], "%s: %s", read.Table, step.Detail)
			}
			require.NotContains(t, step.Detail, "TEMP B-TREE", read.Table)
			require.NotContains(t, step.Detail, "AUTOMATIC", read.Table)
		}
	}
}
