package principal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
)

func TestValidCustomerIDs(t *testing.T) {
	for _, text := range []string{
		"1", "0", "-1", "01001", "li", "Li", "user-123", "li@example.com", "a/b", "/", "user+1=x", "urn:shop:42", "._:@+=/|-", "auth0|5f7c8ec7c33c6c004bbafe82", ".", "..",
		"0190f5c2-8f0a-7b11-8c1d-3f1e2a6b7c88", strings.Repeat("a", 128),
	} {
		var id principal.CustomerID
		require.NoError(t, id.UnmarshalText([]byte(text)), text)
		require.EqualValues(t, text, id)
	}
	for _, text := range []string{
		"", " ", "a b", "a ", "a\n", "a%2Fb", "100%", "a{b}", "a\x00", "é", "李", "a,b", `a"b`, "a'b", "a?b", "a#b", "a;b", "a~b", "a*", strings.Repeat("a", 129),
	} {
		id := principal.CustomerID("as before")
		require.Error(t, id.UnmarshalText([]byte(text)), text)
		require.EqualValues(t, "as before", id, text)
		require.False(t, principal.CustomerID(text).Valid(), text)
	}
}

func TestIntegerCustomerIDIsItsDecimalText(t *testing.T) {
	for text, want := range map[string]string{
		`42`: "42", `"42"`: "42", `0`: "0", `-7`: "-7", `9223372036854775808`: "9223372036854775808", `"042"`: "042",
		`"li"`: "li", `"a\/b"`: "a/b", `"\u006ci"`: "li", `" "`: " ", `""`: "", `null`: "as before",
	} {
		read := struct{ User principal.CustomerID }{"as before"}
		require.NoError(t, strictjson.Decode([]byte(`{"User":`+text+`}`), &read), text)
		require.EqualValues(t, want, read.User, text)
	}
	for _, text := range []string{`42.0`, `4.2e1`, `42e0`, `1E3`, `-0`, `true`, `{}`, `["li"]`} {
		var read struct {
			User principal.CustomerID `json:"user"`
		}
		var fault *strictjson.Error
		require.ErrorAs(t, strictjson.Decode([]byte(`{"user":`+text+`}`), &read), &fault, text)
		require.Equal(t, strictjson.Error{Pointer: "/user", Message: "must be a string or a whole number without fraction and exponent"}, *fault, text)
	}
	written, err := json.Marshal(principal.CustomerID("42"))
	require.NoError(t, err)
	require.Equal(t, `"42"`, string(written))
}

func TestCustomerAndUserWithEqualIDsAreDifferentActors(t *testing.T) {
	customer := principal.Principal{Kind: principal.Customer, CustomerID: "7", Name: "Li"}
	admin := principal.Principal{Kind: principal.Admin, UserID: 7, Name: "Li"}
	require.Equal(t, "7", customer.ActorID())
	require.Equal(t, "7", admin.ActorID())
	for p, want := range map[*principal.Principal]string{&customer: `{"id":"7","name":"Li"}`, &admin: `{"id":7,"name":"Li"}`} {
		shown, err := strictjson.Encode(principal.ActorOf(string(p.Kind), p.ActorID(), p.Name))
		require.NoError(t, err)
		require.Equal(t, want, string(shown))
	}
}

func TestInvalidUserIDIsDisplayedUnchanged(t *testing.T) {
	for id, want := range map[string]string{
		"0": `0`, "-7": `-7`, "9223372036854775807": `9223372036854775807`,
		"ops": `"ops"`, "": `""`, "007": `"007"`, "+7": `"+7"`, "-0": `"-0"`, "7.0": `"7.0"`, "1e3": `"1e3"`, "9223372036854775808": `"9223372036854775808"`, "\"": `"\""`,
	} {
		shown, err := strictjson.Encode(principal.ActorOf(string(principal.Admin), id, "Li"))
		require.NoError(t, err, id)
		require.Equal(t, `{"id":`+want+`,"name":"Li"}`, string(shown), id)
	}
}

func TestKeyScopeNamesItsCustomer(t *testing.T) {
	for _, id := range []principal.CustomerID{"b", "a/customer:b", "user:7/customer:b", "customer:b", "auth0|b"} {
		for _, p := range []principal.Principal{{Kind: principal.Customer, CustomerID: id}, {Kind: principal.Token, UserID: 7, OnBehalfOf: id}} {
			before, customer := principal.SplitKeyScope(p.KeyScope())
			require.Equal(t, id, customer)
			require.Equal(t, p.KeyScope(), before+string(customer))
		}
	}
	before, customer := principal.SplitKeyScope(principal.Principal{Kind: principal.Admin, UserID: 7}.KeyScope())
	require.Equal(t, []any{"user:7", principal.CustomerID("")}, []any{before, customer})
}
