package shop

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
)

// strange are names that are easily confused with each other, or with a path, a key or a pattern.
var strange = []principal.CustomerID{
	"a/b", "a", "b", "a/entries", "a/b/entries", "a:b", "1:a", "a=b", "user+1=x", "li@example.com", "li", "Li", "LI", "li_", "l.",
	"7", "07", "-7", "user-7", ".", "..", "./a", "/", "//", "a|b", "a|", "@orders/1/pay",
}

// Proves G4.5.
func TestAnyTwoUsersHaveTwoWallets(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		for i, user := range strange {
			made := s.enter(t, user, int64(i+1), "opening")
			require.Equal(t, http.StatusCreated, made.Status, "%s: %v", user, made.Body)
			require.Equal(t, string(user), made.Body["userId"])
			found := s.Send(t, http.MethodGet, strings.TrimPrefix(made.Header.Get("Location"), "/api/v1"), nil).Items()
			require.Equal(t, []object{made.Body}, found, "%s: its Location leads to it", user)
		}
		require.EqualValues(t, len(strange), s.Send(t, http.MethodGet, "/wallets", nil).Body["total"])
		for i, user := range strange {
			for _, spelled := range []string{url.PathEscape(string(user)), everyByte(user)} {
				wallet := s.Send(t, http.MethodGet, "/wallets/"+spelled, nil)
				require.Equal(t, []any{string(user), float64(i + 1)}, []any{wallet.Body["userId"], wallet.Body["balance"]}, spelled)
			}
			for _, name := range []string{"userId", "q"} {
				listed := s.Send(t, http.MethodGet, "/wallets?"+name+"="+url.QueryEscape(string(user)), nil).Items()
				require.Len(t, listed, 1, "%s", user)
				require.Equal(t, string(user), listed[0]["userId"])
			}
			s.requireLedger(t, user, int64(i+1))
		}
	})
}

// everyByte percent-encodes each byte.
func everyByte(user principal.CustomerID) string {
	const digits = "0123456789ABCDEF"
	var text strings.Builder
	for i := range len(user) {
		text.WriteString("%" + digits[user[i]>>4:][:1] + digits[user[i]&15:][:1])
	}
	return text.String()
}

// Proves G4.5.
func TestHeldWalletBlocksNoOtherWallet(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		require.NoError(t, s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := s.Wallets.Lock(ctx, u, 0, "a")
			for _, other := range strange {
				a := s.Send(t, http.MethodPost, "/wallets/"+url.PathEscape(string(other))+"/entries?wait=0", object{"amount": 1, "kind": "k", "reference": "r"})
				require.Equal(t, map[bool]int{true: http.StatusLocked, false: http.StatusCreated}[other == "a"], a.Status, other)
			}
			return err
		}))
	})
}

func TestTransferNamesBothUsersExactly(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Fund(t, "li", 100)
		for _, pair := range [][2]principal.CustomerID{{"li", "Li"}, {"Li", "li"}, {"li", "a/b"}, {"a/b", "7"}, {"7", "07"}} {
			made := s.Post(t, http.StatusCreated, "/wallet-transfers", object{"fromUserId": pair[0], "toUserId": pair[1], "amount": 100, "reference": "to " + string(pair[1])})
			require.Equal(t, []any{string(pair[0]), string(pair[1])}, []any{made["fromUserId"], made["toUserId"]})
			require.Equal(t, string(pair[1]), made["debit"].(object)["otherUserId"])
		}
		s.requireLedger(t, "07", 100)
	})
}
