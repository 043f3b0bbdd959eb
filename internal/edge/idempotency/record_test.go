package idempotency

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

func TestPrincipalsDoNotShareKeyScopes(t *testing.T) {
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
			scope := p.KeyScope()
			require.LessOrEqual(t, len(scope), 128, "length of the column")
			require.False(t, strings.HasPrefix(scope, partsPrefix))
			for _, name := range []string{scope, nameOf(1, scope, "k")} {
				other, taken := seen[name]
				require.False(t, taken, "%q is of %+v and of %+v", name, other, p)
				seen[name] = p
			}
		}
	}
	other, taken := seen[principal.Principal{Kind: principal.Admin, UserID: 7}.KeyScope()]
	require.False(t, taken, "a user that acts directly has the keys of %+v", other)
	require.Equal(t, "customer:42", principal.Principal{Kind: principal.Customer, CustomerID: "42"}.KeyScope(), "the format from when customer ids were numbers")
	require.Equal(t, "user:7/customer:42", principal.Principal{Kind: principal.Token, UserID: 7, OnBehalfOf: "42"}.KeyScope())
}

func TestRepeatIsRecognizedByItsSpellingOrItsFingerprint(t *testing.T) {
	request := func(body string) httpapi.KeyedRequest {
		return httpapi.KeyedRequest{Method: "POST", Path: "/api/v1/orders", Query: "a=1&b=2", Body: []byte(body)}
	}
	first := request(`{"userId":"li","quantity":1}`)
	stored := &answer{request: fingerprintOf(first), spelling: spellingOf(first)}
	for body, isRepeat := range map[string]bool{
		`{"userId":"li","quantity":1}`:      true,
		`{ "quantity": 1.0, "userId":"li"}`: true,
		`{"userId":"li","quantity":2}`:      false,
	} {
		repeat := request(body)
		a := &attempt{replies: &ReplyStore{metrics: newMetrics()}, request: repeat, spelling: spellingOf(repeat)}
		err := a.checkFingerprint(stored)
		require.Equal(t, isRepeat, err == nil, "%s: %v", body, err)
		require.Equal(t, fingerprintOf(repeat), a.fingerprint, body)
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = spellingOf(first) }), "a repeat of the same bytes decodes no body")
}
