package e2e_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/app"
	"interlock/internal/base/principal"
	"interlock/test/apptest"
)

// TestNoOverviewReadsAWholeTable checks the query plans of SQLite for each statement of a
// search and of the dashboard. MariaDB has the same indexes, but its planner scans small
// tables in any case.
func TestNoOverviewReadsAWholeTable(t *testing.T) {
	services, err := app.Open(t.Context(), apptest.Settings(t.TempDir()).Storage, app.Options{Create: true})
	require.NoError(t, err)
	defer services.Close()
	_, err = services.Access.Bootstrap(t.Context(), "a long password", "CNY")
	require.NoError(t, err)
	ctx := principal.With(t.Context(), principal.System(1, "planner"))
	statements := record(t, services.DB.Read(ctx))

	_, err = services.Search.Search(ctx, "7")
	require.NoError(t, err)
	_, err = services.Search.Search(ctx, "3Q7K2M9XZTVA0B1C2D3E4F5G6H7J8K9M")
	require.NoError(t, err)
	_, err = services.Search.Search(ctx, "tea")
	require.NoError(t, err)
	_, err = services.Dashboard.Overview(ctx)
	require.NoError(t, err)

	require.Greater(t, len(*statements), 15)
	for _, s := range *statements {
		for _, step := range plan(t, ctx, services, s) {
			require.NotContains(t, step, "SCAN", s.sql)
			// Rows that were selected before are read by their id.
			if strings.HasPrefix(step, "SEARCH") && !strings.HasSuffix(step, "USING INTEGER PRIMARY KEY (rowid=?)") {
				require.Contains(t, step, "tenant_id=?", s.sql)
			}
		}
	}
}

// TestNextDueWorkIsFoundByIndex checks the query plans of the statements that every
// process runs periodically.
func TestNextDueWorkIsFoundByIndex(t *testing.T) {
	services, err := app.Open(t.Context(), apptest.Settings(t.TempDir()).Storage, app.Options{Create: true})
	require.NoError(t, err)
	defer services.Close()
	ctx := principal.With(t.Context(), principal.System(1, "planner"))
	statements := record(t, services.DB.Read(ctx))

	_, err = services.Orders.NextUnpaid(ctx)
	require.NoError(t, err)
	_, err = services.Approvals.NextScheduled(ctx)
	require.NoError(t, err)
	var steps []string
	for _, s := range *statements {
		steps = append(steps, plan(t, ctx, services, s)...)
	}
	require.Equal(t, []string{
		"SEARCH orders USING COVERING INDEX ix_orders_due (payment_due>?)",
		"SEARCH approvals USING COVERING INDEX ix_approvals_due (status=?)",
	}, steps)
}

type statement struct {
	sql       string
	arguments []any
}

// record collects each query from now on.
func record(t *testing.T, db *gorm.DB) *[]statement {
	t.Helper()
	statements := &[]statement{}
	require.NoError(t, db.Callback().Query().After("gorm:query").Register("test:record", func(db *gorm.DB) {
		*statements = append(*statements, statement{db.Statement.SQL.String(), db.Statement.Vars})
	}))
	return statements
}

// plan returns the steps of SQLite's plan for a statement.
func plan(t *testing.T, ctx context.Context, services *app.Services, s statement) []string {
	t.Helper()
	rows, err := services.DB.Pools()["read"].QueryContext(ctx, "EXPLAIN QUERY PLAN "+s.sql, s.arguments...)
	require.NoError(t, err)
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
		steps = append(steps, detail)
	}
	require.NoError(t, rows.Err())
	require.NotEmpty(t, steps)
	return steps
}
