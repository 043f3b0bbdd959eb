package wallets_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/wallets"
)

// BenchmarkEntriesOverALink measures entries a second of one wallet that 16 writers credit at
// once, with the database so far away, their statements in packets and one by one.
func BenchmarkEntriesOverALink(b *testing.B) {
	address := storagetest.NewMariaDBURL(b)
	for _, roundTrip := range []time.Duration{0, 250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond} {
		far := storagetest.Far(b, address, roundTrip)
		for _, packets := range []string{"false", "true"} {
			b.Run(fmt.Sprintf("%s/packets=%s", roundTrip, packets), func(b *testing.B) {
				enterInParallel(b, far+"?packets="+packets, 16)
			})
		}
	}
}

func enterInParallel(b *testing.B, address string, writers int) {
	db, err := storage.Open(b.Context(), storage.Options{URL: address})
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Migrate(b.Context())
	require.NoError(b, err)
	ctx := principal.With(b.Context(), principal.System(1, "benchmark"))
	bank := open(ctx, b, db)
	run := time.Now().UnixNano()
	user := principal.CustomerID(fmt.Sprintf("hot-%d", run))
	enter := func(n int64) error {
		return bank.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			posting := wallets.Posting{UserID: user, Amount: 1, Kind: "test", Reference: fmt.Sprint(n)}
			_, _, err := bank.wallets.Enter(ctx, u, posting, time.Minute)
			return err
		})
	}
	require.NoError(b, enter(0))
	var made atomic.Int64
	var writing sync.WaitGroup
	b.ResetTimer()
	for range writers {
		writing.Go(func() {
			for n := made.Add(1); n <= int64(b.N); n = made.Add(1) {
				if err := enter(n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
	b.StopTimer()
	wallet, err := bank.wallets.Wallet(ctx, user)
	require.NoError(b, err)
	require.Equal(b, int64(b.N)+1, wallet.Balance)
}
