package shop

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

// walletRequest is a request for one wallet: an entry of an amount, or 0 to read the balance.
type walletRequest struct {
	user   principal.CustomerID
	amount int64
}

// walletReply is the balance in the response, and whether the entry was rejected.
type walletReply struct {
	balance int64
	refused bool
}

// oneWallet is the sequential model of a wallet: an entry succeeds if and only if the balance stays at
// least 0, and each response contains the balance.
var oneWallet = racing.Model[walletRequest, walletReply, int64]{
	Of: func(in walletRequest) any { return in.user },
	Step: func(balance int64, in walletRequest, out walletReply) (bool, int64) {
		after := balance + in.amount
		if out.refused {
			return after < 0 && out.balance == balance, balance
		}
		return after >= 0 && out.balance == after, after
	},
}

// walletReplyOf returns the reply to a request that returned balance and err.
func walletReplyOf(balance int64, err error) (walletReply, error) {
	var refusal *apperr.Error
	if errors.As(err, &refusal) && refusal.Code == apperr.InsufficientBalance {
		return walletReply{balance: refusal.Members["balance"].(int64), refused: true}, nil
	}
	return walletReply{balance: balance}, err
}

// doWallet executes a request; an entry has its own unit.
func (s *Shop) doWallet(ctx context.Context, in walletRequest, reference string) (balance int64, err error) {
	if in.amount == 0 {
		wallet, err := s.Wallets.Wallet(ctx, in.user)
		if err != nil {
			return 0, err
		}
		return wallet.Balance, nil
	}
	err = s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		posting := wallets.Posting{UserID: in.user, Amount: in.amount, Kind: "test", Reference: reference}
		entry, _, err := s.Wallets.Enter(ctx, u, posting, 10*time.Second)
		if err == nil {
			balance = entry.Balance
		}
		return err
	})
	return balance, err
}

// called returns the name of a user. Names 2n and 2n+1 differ only in case.
func called(i int) principal.CustomerID {
	return principal.CustomerID(fmt.Sprintf([]string{"shop/user-%d", "shop/USER-%d"}[i%2], i/2))
}

// Proves G4.13.
func TestRacingEntriesAreLinearizable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, requests, raced = 8, 40, 10
		s := Open(ctx, t, db)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var history racing.History[walletRequest, walletReply]
		racing.Together(clients, func(client int) {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range requests {
				in := walletRequest{called(i * raced / requests), int64(random.IntN(9) - 4)}
				history.Record(client, in, func() (walletReply, error) {
					return walletReplyOf(s.doWallet(ctx, in, fmt.Sprintf("r-%d-%d", client, i)))
				})
			}
		})
		require.Len(t, history.Results(), clients*requests)
		require.True(t, racing.Linearizable(t, &history, oneWallet))
		for i := range raced {
			s.requireLedger(t, called(i), s.Balance(t, called(i)))
		}
	})
}

// Proves G2.9, G4.13.
func TestCheckerDetectsAnEntryWithoutLockAndVersion(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		var history racing.History[walletRequest, walletReply]
		history.Record(0, walletRequest{"1", 100}, func() (walletReply, error) {
			return walletReplyOf(s.doWallet(ctx, walletRequest{"1", 100}, "opening"))
		})
		bothHaveRead := racing.Meet(2)
		racing.Together(2, func(i int) {
			history.Record(i, walletRequest{"1", -60}, func() (walletReply, error) {
				return walletReplyOf(s.enterUnguarded(ctx, "1", -60, bothHaveRead))
			})
		})
		require.False(t, racing.Linearizable(t, &history, oneWallet), "100 were spent as 120")
	})
}

// enterUnguarded makes an entry without a lock and without the version predicate, and returns the
// balance that it computed. between runs after the read and before the write.
func (s *Shop) enterUnguarded(ctx context.Context, user principal.CustomerID, amount int64, between func()) (balance int64, err error) {
	err = s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		wallet, err := s.Wallets.Wallet(ctx, user)
		if err != nil {
			return err
		}
		between()
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		balance = wallet.Balance + amount
		u.Audit(uow.Entry{Action: "wallet.entry", Resource: wallets.Topic + "/" + string(user)})
		return tx.Exec("UPDATE wallets SET balance = ?, version = version + 1 WHERE tenant_id = ? AND user_id = ?", balance, s.Tenant(), user).Error
	})
	return balance, err
}
