package customers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// transfers creates a wallet with the given number of entries, each a transfer from another
// customer with this one in its reference.
func transfers(t *testing.T, db *gorm.DB, tenant int64, kim principal.CustomerID, many int) {
	t.Helper()
	const entry = "INSERT INTO wallet_entries (tenant_id, user_id, version, amount, balance, kind, reference, other_user_id, created_by, created_by_name, created_time) VALUES "
	const row = "(?, ?, ?, ?, ?, 'transfer', ?, ?, 1, 'Li', '2026-01-01')"
	require.NoError(t, db.Exec("INSERT INTO wallets (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, user_id, balance) VALUES (?, ?, '2026-01-01', '2026-01-01', 1, 'Li', ?, ?)",
		tenant, many, kim, many).Error)
	for first := 1; first <= many; first += 500 {
		var rows []string
		var values []any
		for n := first; n < min(first+500, many+1); n++ {
			other, reference := fmt.Sprint("other-", n), fmt.Sprintf("gift %d of %s", n, kim)
			rows = append(rows, row, row)
			values = append(values, tenant, kim, n, 1, n, reference, other, tenant, other, 1, -1, 0, reference, kim)
		}
		require.NoError(t, db.Exec(entry+strings.Join(rows, ", "), values...).Error)
	}
}

// The indivisible unit completes in time for any number of entries: it needs a few
// statements per hundreds of entries.
// Proves E7.
func TestLastUnitNeedsFewStatementsForManyEntries(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		const many = 1001
		e := newErasure("kim@example.org", "erased-x", []byte("secret"))
		transfers(t, db.Write(ctx), p.TenantID, e.id, many)
		statements := 0
		require.NoError(t, db.Write(ctx).Callback().Raw().Before("gorm:raw").Register("test:count", func(*gorm.DB) { statements++ }))
		require.NoError(t, db.Transact(ctx, time.Minute, func(tx *gorm.DB) error {
			held, err := readWallets(tx, p.TenantID, e)
			if err != nil {
				return err
			}
			rows, err := moveMoney(tx, p.TenantID, e, held)
			require.Equal(t, many, rows)
			return err
		}))
		require.LessOrEqual(t, statements, 25, "of %d entries", many)
		count := func(where string, values ...any) (n int) {
			require.NoError(t, db.Read(ctx).Raw("SELECT COUNT(*) FROM wallet_entries WHERE tenant_id = ? AND "+where, append([]any{p.TenantID}, values...)...).Scan(&n).Error)
			return n
		}
		require.Zero(t, count("(user_id = ? OR other_user_id = ? OR reference LIKE '%kim%')", e.id, e.id))
		require.Equal(t, many, count("user_id = ? AND reference = CONCAT('gift ', version, ' of erased-x')", e.pseudonym))
		require.Equal(t, many, count("other_user_id = ? AND reference = CONCAT('gift ', SUBSTR(user_id, 7), ' of erased-x')", e.pseudonym))
	})
}
