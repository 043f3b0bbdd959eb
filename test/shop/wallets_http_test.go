package shop

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/wallets"
)

// enter sends an entry of the wallet of a user.
func (s *Shop) enter(t *testing.T, user principal.CustomerID, amount int64, reference string) httpapitest.Answer {
	t.Helper()
	return s.Send(t, http.MethodPost, "/wallets/"+url.PathEscape(string(user))+"/entries?wait=10000", object{"amount": amount, "kind": "test", "reference": reference})
}

// requireLedger requires the balance of a user, and that each version of the wallet has one entry and one
// audit row. The audit row of a transfer belongs to the payer.
func (s *Shop) requireLedger(t *testing.T, user principal.CustomerID, balance int64) {
	t.Helper()
	wallet, err := s.Wallets.Wallet(s.Ctx, user)
	require.NoError(t, err)
	require.Equal(t, balance, wallet.Balance)
	var entries []wallets.Entry
	require.NoError(t, s.DB.Read(s.Ctx).Where("user_id = ?", user).Order("version").Find(&entries).Error)
	require.Len(t, entries, int(wallet.Version))
	var sum, received int64
	for i, entry := range entries {
		sum += entry.Amount
		require.EqualValues(t, i+1, entry.Version)
		require.Equal(t, sum, entry.Balance)
		require.GreaterOrEqual(t, sum, int64(0))
		if entry.OtherUserID != nil && entry.Amount > 0 {
			received++
		}
	}
	require.Equal(t, wallet.Balance, sum)
	var audits int64
	require.NoError(t, s.DB.Read(s.Ctx).Model(&uow.AuditRow{}).Where("resource = ?", "wallets/"+url.PathEscape(string(user))).Count(&audits).Error)
	require.Equal(t, int64(len(entries))-received, audits, "one audit row each")
}

func TestUnusedWalletReadsAsZeros(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		a := s.Get(t, "/wallets/12")
		require.Equal(t, object{
			"userId": "12", "balance": 0.0, "currency": "CNY", "version": 0.0, "etag": nil, "createdTime": nil, "updatedTime": nil, "updatedBy": nil,
		}, a.Body)
		require.Empty(t, a.Header.Get("ETag"))
		require.Zero(t, s.Send(t, http.MethodGet, "/wallets/12/entries", nil).Body["total"])
		require.Zero(t, s.Send(t, http.MethodGet, "/wallets", nil).Body["total"])
		for _, id := range []string{"a%20b", "a%25", "%C3%A9", "a%252Fb", "a,b", strings.Repeat("a", 129)} {
			require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodGet, "/wallets/"+id, nil).Status, id)
		}
	})
}

func TestEntryChangesTheBalanceAndIsFoundByReference(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		heard, err := s.Bus.Subscribe(ctx, wallets.Topic)
		require.NoError(t, err)
		defer heard.Close()
		made := s.enter(t, "12", 500, "psp 90211/a")
		require.Equal(t, http.StatusCreated, made.Status, made.Body)
		require.Equal(t, []any{500.0, 500.0, "test", "psp 90211/a", 1.0, nil}, []any{
			made.Body["amount"], made.Body["balance"], made.Body["kind"], made.Body["reference"], made.Body["version"], made.Body["otherUserId"],
		})
		event := (<-heard.Deliveries()).Event
		require.Equal(t, "12", event.Key)
		debit := s.enter(t, "12", -200, "order 1")
		require.EqualValues(t, 300, debit.Body["balance"])

		location := made.Header.Get("Location")
		found := s.Send(t, http.MethodGet, strings.TrimPrefix(location, "/api/v1"), nil).Items()
		require.Equal(t, []object{made.Body}, found)
		listed := s.Send(t, http.MethodGet, "/wallets/12/entries", nil).Items()
		require.Equal(t, []object{debit.Body, made.Body}, listed)
		wallet := s.Send(t, http.MethodGet, "/wallets/12", nil)
		require.Equal(t, wallet.Body["etag"], wallet.Header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, s.Send(t, http.MethodGet, "/wallets/12", nil, "If-None-Match", wallet.Header.Get("ETag")).Status)
		require.Equal(t, []object{wallet.Body}, s.Send(t, http.MethodGet, "/wallets?q=12", nil).Items())
		s.requireLedger(t, "12", 300)
	})
}

// Proves G4.9.
func TestRepeatedEntryReferenceReplaysOrConflicts(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		first := s.enter(t, "12", 500, "topup")
		require.Equal(t, http.StatusCreated, s.enter(t, "13", 70, "topup").Status, "another wallet has separate references")
		s.enter(t, "12", -100, "later")
		again := s.enter(t, "12", 500, "topup")
		require.Equal(t, http.StatusOK, again.Status)
		require.Equal(t, first.Body, again.Body)
		for _, other := range []object{
			{"amount": 501, "kind": "test", "reference": "topup"}, {"amount": 500, "kind": "other", "reference": "topup"},
		} {
			a := s.Post(t, http.StatusConflict, "/wallets/12/entries", other)
			require.Equal(t, "payload_mismatch", a["code"])
			require.Equal(t, first.Body, a["first"])
		}
		transfer := s.Send(t, http.MethodPost, "/wallet-transfers", object{"fromUserId": 12, "toUserId": 14, "amount": 1, "reference": "topup"})
		require.Equal(t, "payload_mismatch", transfer.Body["code"])
		s.Post(t, http.StatusConflict, "/wallet-transfers", object{"fromUserId": 12, "toUserId": 13, "amount": 1, "reference": "topup"})
		s.requireLedger(t, "12", 400)
		s.requireLedger(t, "13", 70)
		s.requireLedger(t, "14", 0)
	})
}

func TestTransferChangesBothWalletsOrNeither(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Fund(t, "12", 500)
		request := object{"fromUserId": 12, "toUserId": 3, "amount": 200, "reference": "gift"}
		made := s.Post(t, http.StatusCreated, "/wallet-transfers", request)
		require.EqualValues(t, -200, made["debit"].(object)["amount"])
		require.Equal(t, "3", made["debit"].(object)["otherUserId"])
		require.EqualValues(t, 200, made["credit"].(object)["balance"])
		again := s.Post(t, http.StatusOK, "/wallet-transfers", request)
		require.Equal(t, made, again)
		request["amount"] = 201
		require.Equal(t, "payload_mismatch", s.Send(t, http.MethodPost, "/wallet-transfers", request).Body["code"])
		poor := s.Post(t, http.StatusConflict, "/wallet-transfers", object{"fromUserId": 12, "toUserId": 3, "amount": 301, "reference": "more"})
		require.Equal(t, []any{"insufficient_balance", "12", 300.0, 301.0}, []any{poor["code"], poor["userId"], poor["balance"], poor["wanted"]})
		s.requireLedger(t, "12", 300)
		s.requireLedger(t, "3", 200)
	})
}

func TestBalanceNeverOverflows(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Fund(t, "12", math.MaxInt64-10)
		require.Equal(t, http.StatusCreated, s.enter(t, "12", 10, "to the brim").Status)
		over := s.enter(t, "12", 1, "over")
		require.Equal(t, http.StatusUnprocessableEntity, over.Status)
		require.Equal(t, "/amount", over.Pointer())
		s.Fund(t, "13", 5)
		s.Post(t, http.StatusUnprocessableEntity, "/wallet-transfers", object{"fromUserId": 13, "toUserId": 12, "amount": 1, "reference": "over"})
		most := s.enter(t, "13", math.MinInt64, "all there is")
		require.Equal(t, "insufficient_balance", most.Body["code"])
		require.Equal(t, http.StatusCreated, s.enter(t, "12", -math.MaxInt64, "and back").Status)
		s.requireLedger(t, "12", 0)
		s.requireLedger(t, "13", 5)
	})
}

func TestInvalidEntryIsRejectedAtItsField(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	const entries, transfers = "/wallets/12/entries", "/wallet-transfers"
	for _, c := range []struct {
		name, path, body string
		status           int
		pointer          string
	}{
		{"no amount", entries, `{"kind":"k","reference":"r"}`, 422, "/amount"},
		{"an amount of 0", entries, `{"amount":0,"kind":"k","reference":"r"}`, 422, "/amount"},
		{"a fraction", entries, `{"amount":1.5,"kind":"k","reference":"r"}`, 400, "/amount"},
		{"no kind", entries, `{"amount":1,"reference":"r"}`, 422, "/kind"},
		{"a kind of words", entries, `{"amount":1,"kind":"a kind","reference":"r"}`, 422, "/kind"},
		{"the kind of a payment", entries, `{"amount":1,"kind":"payment","reference":"r"}`, 422, "/kind"},
		{"the kind of a refund", entries, `{"amount":1,"kind":"refund","reference":"r"}`, 422, "/kind"},
		{"the kind of a transfer", entries, `{"amount":1,"kind":"transfer","reference":"r"}`, 422, "/kind"},
		{"no reference", entries, `{"amount":1,"kind":"k"}`, 422, "/reference"},
		{"a reference with a space at its end", entries, `{"amount":1,"kind":"k","reference":"r "}`, 422, "/reference"},
		{"a reference of two lines", entries, `{"amount":1,"kind":"k","reference":"r\ns"}`, 422, "/reference"},
		{"a reference of the service's own", entries, `{"amount":1,"kind":"k","reference":"@orders/1/pay"}`, 422, "/reference"},
		{"a reference of 101 characters", entries, `{"amount":1,"kind":"k","reference":"` + strings.Repeat("é", 101) + `"}`, 422, "/reference"},
		{"an unknown field", entries, `{"amount":1,"kind":"k","reference":"r","note":""}`, 400, "/note"},
		{"a wait of no number", entries + "?wait=x", `{"amount":1,"kind":"k","reference":"r"}`, 400, "?wait"},
		{"a parameter that is not known", entries + "?dryRun=true", `{"amount":1,"kind":"k","reference":"r"}`, 400, "?dryRun"},
		{"a wait beyond ten seconds", entries + "?wait=10001", `{"amount":1,"kind":"k","reference":"r"}`, 400, "?wait"},
		{"a transfer to oneself", transfers, `{"fromUserId":1,"toUserId":1,"amount":1,"reference":"r"}`, 422, "/toUserId"},
		{"a transfer of nothing", transfers, `{"fromUserId":1,"toUserId":2,"amount":0,"reference":"r"}`, 422, "/amount"},
		{"a transfer backwards", transfers, `{"fromUserId":1,"toUserId":2,"amount":-1,"reference":"r"}`, 422, "/amount"},
		{"a transfer to one called as oneself", transfers, `{"fromUserId":1,"toUserId":"1","amount":1,"reference":"r"}`, 422, "/toUserId"},
		{"a transfer to a name with a space", transfers, `{"fromUserId":1,"toUserId":"a b","amount":1,"reference":"r"}`, 422, "/toUserId"},
		{"a transfer to a fraction", transfers, `{"fromUserId":1,"toUserId":2.0,"amount":1,"reference":"r"}`, 400, "/toUserId"},
		{"a transfer without a sender", transfers, `{"toUserId":2,"amount":1,"reference":"r"}`, 422, "/fromUserId"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, c.path, c.body)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	var audits int64
	require.NoError(t, s.DB.Read(s.Ctx).Model(&uow.AuditRow{}).Count(&audits).Error)
	require.Zero(t, audits)
}

func TestLockedWalletReturnsRetryAfter(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	held := make(chan struct{})
	release := make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := s.Wallets.Lock(ctx, u, 0, "12")
			close(held)
			<-release
			return err
		})
	}()
	<-held
	for _, path := range []string{"/wallets/12/entries?wait=0", "/wallets/12/entries?wait=5"} {
		a := s.Send(t, http.MethodPost, path, object{"amount": 1, "kind": "k", "reference": "r"})
		require.Equal(t, http.StatusLocked, a.Status)
		require.Equal(t, "resource_locked", a.Body["code"])
		require.Equal(t, "1", a.Header.Get("Retry-After"))
	}
	s.Post(t, http.StatusLocked, "/wallet-transfers?wait=0", object{"fromUserId": 5, "toUserId": 12, "amount": 1, "reference": "r"})
	s.Post(t, http.StatusCreated, "/wallets/13/entries?wait=0", object{"amount": 1, "kind": "k", "reference": "r"})
	close(release)
	require.NoError(t, <-done)
	require.Equal(t, http.StatusCreated, s.enter(t, "12", 1, "r").Status)
	s.requireLedger(t, "12", 1)
}
