package idempotency

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/principal"
)

func TestATextIsCutBetweenTwoCharacters(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		longest int
		want    string
	}{
		"what fits stays":                      {"/items/茶", 10, "/items/茶"},
		"a character that does not fit goes":   {"/items/茶", 9, "/items/"},
		"whatever part of it would have fit":   {"/items/茶", 8, "/items/"},
		"a character that just fits stays":     {"/items/茶x", 10, "/items/茶"},
		"nothing is left of one that is cut":   {"茶", 2, ""},
		"four bytes are one character as well": {strings.Repeat("🍵", 3), 11, "🍵🍵"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, clipped(c.text, c.longest)) })
	}
	rapid.Check(t, func(t *rapid.T) {
		text, longest := rapid.String().Draw(t, "text"), rapid.IntRange(0, 64).Draw(t, "longest")
		cut := clipped(text, longest)
		require.LessOrEqual(t, len(cut), longest)
		require.True(t, strings.HasPrefix(text, cut))
		require.True(t, utf8.ValidString(cut))
		require.True(t, len(text)-len(cut) == 0 || longest-len(cut) < utf8.UTFMax, "no more is cut than must be")
	})
}

func TestNoTwoPrincipalsShareTheirKeys(t *testing.T) {
	longest := principal.CustomerID(strings.Repeat("x", 64))
	seen := map[string]principal.Principal{}
	for _, id := range []principal.CustomerID{
		"7", "07", "li", "Li", "a/b", "a", "b", "a:b", "/customer:7", "7/customer:8", "user:7", "user:7/customer:8", "customer:8", "parts:x", "=", longest,
	} {
		for _, p := range []principal.Principal{
			{Kind: principal.Customer, CustomerID: id},
			{Kind: principal.Token, UserID: 7, OnBehalfOf: id},
			{Kind: principal.Token, UserID: math.MaxInt64, OnBehalfOf: id},
		} {
			scope := scopeOf(p)
			require.LessOrEqual(t, len(scope), 128, "its column has so many characters")
			require.False(t, strings.HasPrefix(scope, partsPrefix))
			for _, name := range []string{scope, nameOf(1, scope, "k")} {
				other, taken := seen[name]
				require.False(t, taken, "%q is of %+v and of %+v", name, other, p)
				seen[name] = p
			}
		}
	}
	other, taken := seen[scopeOf(principal.Principal{Kind: principal.Admin, UserID: 7})]
	require.False(t, taken, "a user who acts for himself has the keys of %+v", other)
	require.Equal(t, "customer:42", scopeOf(principal.Principal{Kind: principal.Customer, CustomerID: "42"}), "as it was kept while customers were numbers")
	require.Equal(t, "user:7/customer:42", scopeOf(principal.Principal{Kind: principal.Token, UserID: 7, OnBehalfOf: "42"}))
}
