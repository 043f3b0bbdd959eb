package customers

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/workorders"
)

func TestErasureReplacesIDsInTexts(t *testing.T) {
	e := newErasure("kim@example.org/7", "erased-x", []byte("secret"))
	for text, want := range map[string]string{
		"kim@example.org/7":             "erased-x",
		"wallets/kim@example.org%2F7":   "wallets/erased-x",
		"gift of kim@example.org/7":     "gift of erased-x",
		"another customer":              "another customer",
		"customer:kim@example.org/7":    "customer:erased-x",
		"from kim@example.org/7 to moe": "from erased-x to moe",
	} {
		require.Equal(t, want, e.name(text, false), text)
	}
	inside := e.name("xkim@example.org/7x", false)
	require.NotContains(t, inside, "kim", "it is not a separate word, but is recognised")
	require.Equal(t, inside, e.name("xkim@example.org/7x", false), "references stay the same on both sides")
	require.NotEqual(t, inside, e.name("ykim@example.org/7x", false), "and others others")

	require.JSONEq(t, `{"userId":"erased-x","amount":5,"reason":"[erased]","others":["erased-x","moe"],"ticket":null}`,
		e.data(`{"userId":"kim@example.org/7","amount":5,"reason":"he moved","others":["kim@example.org/7","moe"],"ticket":null}`, true))
	unchanged := `{ "b": 1.50, "a": "moe" }`
	require.Equal(t, unchanged, e.data(unchanged, true), "text without a name retains its spelling")

	short := newErasure("7", "erased-x", []byte("secret"))
	for text, want := range map[string]string{"7": "erased-x", "wallets/7": "wallets/erased-x", "wallets/77": "wallets/77", "order-7": "order-7", "7 cups": "7 cups"} {
		require.Equal(t, want, short.name(text, false), text)
	}
	require.JSONEq(t, `{"userId":"erased-x","limitPerUser1":7,"quantity":7}`, short.shops(`{"userId":7,"limitPerUser1":7,"quantity":7}`))
	ours := `{"userId":7,"perUser":7}`
	require.Equal(t, ours, short.data(ours, true), "a number is a user of this service")

	ticket := e.ticket("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
	require.NotEqual(t, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", ticket)
	require.Equal(t, ticket, e.ticket(ticket), "a second look leaves it")
	require.Equal(t, e.digest(strings.Repeat("a", 64)), e.digest(e.digest(strings.Repeat("a", 64))))
}

// A row that changes between read and update retains the new value.
// Proves E4.
func TestConcurrentChangesAreNotOverwritten(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		write := db.Write(ctx)
		require.NoError(t, write.Exec(`INSERT INTO work_orders (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, created_by, created_by_name, title, body, priority, status, holder_name, resolution, comments)
			VALUES (?, 1, '2026-01-01', '2026-01-01', 1, 'Li', 1, 'Li', 'Call kim@example.org', '', 1, 2, '', '', 0)`, p.TenantID).Error)
		declared := tablesOf(workorders.Declaration.Tables, false)
		orders := declared[slices.IndexFunc(declared, func(t table) bool { return t.name == "work_orders" })]
		s := New(Deps{DB: db, After: func() error { return errors.New("not reached") }})
		e := newErasure("kim@example.org", "erased-x", []byte("secret"))
		require.NoError(t, s.walk(ctx, orders, e, func(hits []found) error {
			require.Len(t, hits, 1)
			require.NoError(t, write.Exec("UPDATE work_orders SET title = 'Done' WHERE tenant_id = ?", p.TenantID).Error)
			set := orders.changes(e, hits[0])
			require.Equal(t, map[string]any{"title": erased}, set)
			changed, err := orders.update(write, p.TenantID, hits[0], set)
			require.False(t, changed)
			return err
		}))
		var title string
		require.NoError(t, db.Read(ctx).Raw("SELECT title FROM work_orders WHERE tenant_id = ?", p.TenantID).Scan(&title).Error)
		require.Equal(t, "Done", title)
	})
}
