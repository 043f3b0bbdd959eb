package wallets_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/wallets"
	"interlock/test/racing"
)

// asked is what a client asked of one wallet: an amount, or 0 to read it.
type asked struct {
	user   principal.CustomerID
	amount int64
}

// told is what it was told: the balance, or that there was too little.
type told struct {
	balance int64
	refused bool
}

// oneWallet is what a balance is by itself: an amount is added if and only if that
// leaves nothing below zero, and everybody is told the balance.
var oneWallet = racing.Model[asked, told, int64]{
	Of: func(in asked) any { return in.user },
	Step: func(balance int64, in asked, out told) (bool, int64) {
		after := balance + in.amount
		if out.refused {
			return after < 0 && out.balance == balance, balance
		}
		return after >= 0 && out.balance == after, after
	},
}

// tell is what a client is told when its entry leaves a balance or is refused.
func tell(balance int64, err error) (told, error) {
	var refusal *apperr.Error
	if errors.As(err, &refusal) && refusal.Code == apperr.InsufficientBalance {
		return told{balance: refusal.Members["balance"].(int64), refused: true}, nil
	}
	return told{balance: balance}, err
}

// do makes an entry in a unit of its own, as a request does, or reads the balance.
func (b *bank) do(ctx context.Context, in asked, reference string) (balance int64, err error) {
	if in.amount == 0 {
		wallet, err := b.wallets.Wallet(ctx, in.user)
		if err != nil {
			return 0, err
		}
		return wallet.Balance, nil
	}
	err = b.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		posting := wallets.Posting{UserID: in.user, Amount: in.amount, Kind: "test", Reference: reference}
		entry, _, err := b.wallets.Enter(ctx, u, posting, 10*time.Second)
		if err == nil {
			balance = entry.Balance
		}
		return err
	})
	return balance, err
}

// called names a user. One of two differs from the one before in case only.
func called(i int) principal.CustomerID {
	return principal.CustomerID(fmt.Sprintf([]string{"shop/user-%d", "shop/USER-%d"}[i%2], i/2))
}

func TestRacingEntriesAreLinearizable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, requests, raced = 8, 40, 10
		b := open(ctx, t, db)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var history racing.History[asked, told]
		racing.Together(clients, func(client int) {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range requests {
				in := asked{called(i * raced / requests), int64(random.IntN(9) - 4)}
				history.Record(client, in, func() (told, error) { return tell(b.do(ctx, in, fmt.Sprintf("r-%d-%d", client, i))) })
			}
		})
		require.Len(t, history.Told(), clients*requests)
		require.True(t, racing.Linearizable(t, &history, oneWallet))
		for i := range raced {
			b.requireLedger(t, called(i), b.balance(t, called(i)))
		}
	})
}

func TestTheCheckerCatchesAnEntryWithoutLockAndVersion(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := open(ctx, t, db)
		var history racing.History[asked, told]
		history.Record(0, asked{"1", 100}, func() (told, error) { return tell(b.do(ctx, asked{"1", 100}, "opening")) })
		bothHaveRead := racing.Meet(2)
		racing.Together(2, func(i int) {
			history.Record(i, asked{"1", -60}, func() (told, error) {
				var balance int64
				err := b.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					entry, err := b.wallets.EnterUnguarded(ctx, u, wallets.Posting{UserID: "1", Amount: -60}, bothHaveRead)
					if err == nil {
						balance = entry.Balance
					}
					return err
				})
				return tell(balance, err)
			})
		})
		require.False(t, racing.Linearizable(t, &history, oneWallet), "100 were spent as 120")
	})
}
