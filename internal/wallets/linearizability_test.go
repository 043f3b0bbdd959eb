package wallets_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"interlock/internal/apperr"
	"interlock/internal/storage"
	"interlock/internal/storage/storagetest"
	"interlock/internal/uow"
	"interlock/internal/wallets"
)

// asked is what a client asked of one wallet: an amount, or 0 to read it.
type asked struct {
	user   int64
	amount int64
}

// told is what it was told: the balance, or that there was too little.
type told struct {
	balance int64
	refused bool
}

// oneWallet is what a balance is by itself: an amount is added if and only if that
// leaves nothing below zero, and everybody is told the balance.
var oneWallet = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byUser := map[int64][]porcupine.Operation{}
		for _, operation := range history {
			user := operation.Input.(asked).user
			byUser[user] = append(byUser[user], operation)
		}
		var partitions [][]porcupine.Operation
		for _, partition := range byUser {
			partitions = append(partitions, partition)
		}
		return partitions
	},
	Init: func() any { return int64(0) },
	Step: func(state, input, output any) (bool, any) {
		balance, in, out := state.(int64), input.(asked), output.(told)
		after := balance + in.amount
		if out.refused {
			return after < 0 && out.balance == balance, balance
		}
		return after >= 0 && out.balance == after, after
	},
}

// recorder keeps what many clients asked and were told, in the order of one counter.
type recorder struct {
	now        atomic.Int64
	mu         sync.Mutex
	operations []porcupine.Operation
}

func (r *recorder) record(client int, in asked, do func() (int64, error)) error {
	call := r.now.Add(1)
	balance, err := do()
	back := r.now.Add(1)
	out := told{balance: balance}
	var refusal *apperr.Error
	switch {
	case errors.As(err, &refusal) && refusal.Code == apperr.InsufficientBalance:
		out = told{balance: refusal.Members["balance"].(int64), refused: true}
	case err != nil:
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: back})
	return nil
}

func (r *recorder) check() porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(oneWallet, r.operations, time.Minute)
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
		ctx, err := b.wallets.Lock(ctx, u, 10*time.Second, in.user)
		if err != nil {
			return err
		}
		entry, _, err := b.wallets.Enter(ctx, u, wallets.Posting{UserID: in.user, Amount: in.amount, Kind: "test", Reference: reference})
		if err == nil {
			balance = entry.Balance
		}
		return err
	})
	return balance, err
}

func TestRacingEntriesAreLinearizable(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, requests, raced = 8, 40, 10
		b := open(ctx, t, db)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var r recorder
		errs := make([]error, clients)
		race(clients, func(client int) {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range requests {
				in := asked{int64(1 + i*raced/requests), int64(random.IntN(9) - 4)}
				errs[client] = errors.Join(errs[client], r.record(client, in, func() (int64, error) {
					return b.do(ctx, in, fmt.Sprintf("r-%d-%d", client, i))
				}))
			}
		})
		require.NoError(t, errors.Join(errs...))
		require.Len(t, r.operations, clients*requests)
		require.Equal(t, porcupine.Ok, r.check())
		for user := int64(1); user <= raced; user++ {
			b.requireLedger(t, user, b.balance(t, user))
		}
	})
}

func TestTheCheckerCatchesAnEntryWithoutLockAndVersion(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := open(ctx, t, db)
		var r recorder
		require.NoError(t, r.record(0, asked{1, 100}, func() (int64, error) { return b.do(ctx, asked{1, 100}, "opening") }))
		var read sync.WaitGroup
		read.Add(2)
		errs := make([]error, 2)
		race(2, func(i int) {
			errs[i] = r.record(i, asked{1, -60}, func() (balance int64, err error) {
				err = b.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					entry, err := b.wallets.EnterUnguarded(ctx, u, wallets.Posting{UserID: 1, Amount: -60}, func() { read.Done(); read.Wait() })
					if err == nil {
						balance = entry.Balance
					}
					return err
				})
				return balance, err
			})
		})
		require.NoError(t, errors.Join(errs...))
		require.Equal(t, porcupine.Illegal, r.check(), "100 were spent as 120")
	})
}
