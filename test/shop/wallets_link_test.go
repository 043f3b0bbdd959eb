package shop

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/wallets"
)

// BenchmarkEntriesOverALink measures the entries per second of one wallet with 16 concurrent writers.
func BenchmarkEntriesOverALink(b *testing.B) {
	storagetest.OverALink(b, func(b *testing.B, db *storage.DB) {
		ctx := principal.With(b.Context(), principal.System(1, "benchmark"))
		bank := Open(ctx, b, db)
		user := principal.CustomerID(fmt.Sprintf("hot-%d", time.Now().UnixNano()))
		enter := func(_ int, n int64) error {
			return bank.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				posting := wallets.Posting{UserID: user, Amount: 1, Kind: "test", Reference: fmt.Sprint(n)}
				_, _, err := bank.Wallets.Enter(ctx, u, posting, time.Minute)
				return err
			})
		}
		require.NoError(b, enter(0, 0))
		storagetest.InParallel(b, 16, "entries", enter)
		wallet, err := bank.Wallets.Wallet(ctx, user)
		require.NoError(b, err)
		require.Equal(b, int64(b.N)+1, wallet.Balance)
	})
}
