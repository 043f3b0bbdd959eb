package access

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
)

const shopSecret = "a secret that only the shop has, 32+"

// shop is a fixture with shopSecret as the key of customers' tokens.
func shop(t *testing.T) *fixture {
	h := newFixture(t, storagetest.SQLite(t))
	h.Callers.Customers, h.Callers.CustomerMay = callers.SharedSecret(shopSecret), []string{"orders:pay"}
	return h
}

// never is the exp of a token without expiry.
const never = "never"

// signed returns a token with the claims; the default exp is in 2099.
func signed(t *testing.T, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	switch claims["exp"] {
	case nil:
		claims["exp"] = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	case never:
		delete(claims, "exp")
	}
	text, err := jwt.NewWithClaims(method, claims).SignedString(key)
	require.NoError(t, err)
	return text
}

func TestCustomerIsTheSubjectOfTheSignedToken(t *testing.T) {
	h := shop(t)
	cases := map[string]struct {
		claims jwt.MapClaims
		id     principal.CustomerID
		name   string
	}{
		"with all claims":              {jwt.MapClaims{"sub": "1001", "name": "Wang", "exp": h.clock.Now().Add(time.Minute).Unix()}, "1001", "Wang"},
		"without a name":               {jwt.MapClaims{"sub": "1001"}, "1001", "customer 1001"},
		"with a name no screen shows":  {jwt.MapClaims{"sub": "1001", "name": "a\nb"}, "1001", "customer 1001"},
		"with the id as a number":      {jwt.MapClaims{"sub": 1001, "name": "Wang"}, "1001", "Wang"},
		"with a numeric id":            {jwt.MapClaims{"sub": "01001"}, "01001", "customer 01001"},
		"with an id in words":          {jwt.MapClaims{"sub": "wang"}, "wang", "customer wang"},
		"with a UUID":                  {jwt.MapClaims{"sub": "0190f5c2-8f0a-7b11-8c1d-3f1e2a6b7c88"}, "0190f5c2-8f0a-7b11-8c1d-3f1e2a6b7c88", "customer 0190f5c2-8f0a-7b11-8c1d-3f1e2a6b7c88"},
		"with an id of 128 characters": {jwt.MapClaims{"sub": "auth0|" + strings.Repeat("a", 122)}, principal.CustomerID("auth0|" + strings.Repeat("a", 122)), "customer auth0|" + strings.Repeat("a", 84) + "…"},
		"with all kinds of marks":      {jwt.MapClaims{"sub": "shop/Li+1=x:a_b@example.com"}, "shop/Li+1=x:a_b@example.com", "customer shop/Li+1=x:a_b@example.com"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.claims["tenant"] = h.tenant.Name
			p, err := h.Callers.Authenticate(withBearer(signed(t, jwt.SigningMethodHS256, []byte(shopSecret), c.claims)))
			require.NoError(t, err)
			require.Positive(t, p.EndsIn)
			p.EndsIn = 0
			require.Equal(t, principal.Principal{
				Kind: principal.Customer, TenantID: h.tenant.ID, Currency: "EUR", CustomerID: c.id, Name: c.name, Permissions: []string{"orders:pay"},
			}, p)
			id, ok := p.Customer()
			require.True(t, ok)
			require.Equal(t, c.id, id)
		})
	}
}

// Proves G7.9.
func TestInvalidCustomerTokenIsRejected(t *testing.T) {
	h := shop(t)
	good := func(changes jwt.MapClaims) jwt.MapClaims {
		claims := jwt.MapClaims{"sub": "1001", "tenant": h.tenant.Name}
		for name, value := range changes {
			claims[name] = value
		}
		return claims
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	secret := []byte(shopSecret)
	cases := map[string]string{
		"signed by another":                signed(t, jwt.SigningMethodHS256, []byte("another customer's"), good(nil)),
		"not signed at all":                signed(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good(nil)),
		"by another algorithm":             signed(t, jwt.SigningMethodHS512, secret, good(nil)),
		"signed with another key":          signed(t, jwt.SigningMethodES256, own, good(nil)),
		"expired":                          signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"exp": h.clock.Now().Add(-time.Minute).Unix()})),
		"without an end":                   signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"exp": never})),
		"with an end in words":             signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"exp": "tomorrow"})),
		"with an end as text":              signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"exp": "4070908800"})),
		"with an end beyond the year 9999": signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"exp": 4070908800000})),
		"with an end beyond every number":  signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"exp": json.Number("1e300")})),
		"from the future":                  signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"iat": h.clock.Now().Add(time.Minute).Unix()})),
		"from a time in words":             signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"iat": "1"})),
		"with an unknown extension": func() string {
			token := jwt.NewWithClaims(jwt.SigningMethodHS256, good(jwt.MapClaims{"exp": 4070908800}))
			token.Header["crit"] = []string{"b64"}
			text, err := token.SignedString(secret)
			require.NoError(t, err)
			return text
		}(),
		"not yet good":          signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"nbf": h.clock.Now().Add(time.Minute).Unix()})),
		"of no tenant":          signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"tenant": "nobody"})),
		"of a malformed tenant": signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"tenant": "' OR 1=1"})),
		"without a subject":     signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"sub": ""})),
		"for two words":         signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"sub": "li wang"})),
		"for a percent sign":    signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"sub": "li%2F1"})),
		"for 129 characters":    signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"sub": strings.Repeat("a", 129)})),
		"for a fraction":        signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"sub": 1.5})),
		"for null":              signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"sub": nil})),
		"for two at a time":     signed(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"sub": []string{"1001", "1002"}})),
		"with its middle changed": func() string {
			parts := strings.Split(signed(t, jwt.SigningMethodHS256, secret, good(nil)), ".")
			parts[1] = base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"2002","tenant":"` + h.tenant.Name + `"}`))
			return strings.Join(parts, ".")
		}(),
	}
	for name, token := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := h.Callers.Authenticate(withBearer(token))
			requireCode(t, apperr.InvalidCredentials, err)
		})
	}
}

func TestCustomerTokenNeedsSubjectTenantAndEnd(t *testing.T) {
	h := shop(t)
	for _, missing := range []string{"sub", "tenant", "exp"} {
		claims := jwt.MapClaims{"sub": "1001", "tenant": h.tenant.Name, "exp": 4070908800}
		delete(claims, missing)
		token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(shopSecret))
		require.NoError(t, err)
		_, err = h.Callers.Authenticate(withBearer(token))
		requireCode(t, apperr.InvalidCredentials, err)
		require.ErrorContains(t, err, "`"+missing+"`")
		forged, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("another secret"))
		require.NoError(t, err)
		_, err = h.Callers.Authenticate(withBearer(forged))
		require.NotContains(t, err.Error(), missing, "an invalid signature")
	}
}

// Proves G7.9.
func TestCustomerTokenWithDuplicateClaimIsRejected(t *testing.T) {
	h := shop(t)
	token := func(claims string) string {
		encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
		text := encode(`{"alg":"HS256","typ":"JWT"}`) + "." + encode(claims)
		signature, err := jwt.SigningMethodHS256.Sign(text, []byte(shopSecret))
		require.NoError(t, err)
		return text + "." + base64.RawURLEncoding.EncodeToString(signature)
	}
	once := fmt.Sprintf(`"tenant":%q,"exp":4070908800`, h.tenant.Name)
	_, err := h.Callers.Authenticate(withBearer(token(`{"sub":"1001",` + once + `}`)))
	require.NoError(t, err)
	for _, claims := range []string{
		`{"sub":"2002","sub":"1001",` + once + `}`,
		`{"sub":"1001","Sub":"2002",` + once + `}`,
		`{"SUB":"2002",` + once + `}`,
		`{"\u017fub":"2002","sub":"1001",` + once + `}`,
		`{"sub":"1001","EXP":4070908801,` + once + `}`,
	} {
		_, err = h.Callers.Authenticate(withBearer(token(claims)))
		requireCode(t, apperr.InvalidCredentials, err)
	}
}

// Proves G7.9.
func TestCustomerTokenNeedsIssuerAudienceAndTenant(t *testing.T) {
	h := shop(t)
	h.Callers.Customers = h.Callers.Customers.Require(callers.CustomerChecks{Issuer: "shop.example", Audience: "interlock", Tenant: h.tenant.Name})
	other, err := h.CreateTenant(anonymous(t), h.tenant.Name+"-other", adminPassword, "")
	require.NoError(t, err)
	good := jwt.MapClaims{"sub": "1001", "iss": "shop.example", "aud": []string{"else", "interlock"}, "tenant": h.tenant.Name}
	enter := func(name string, value any) error {
		claims := maps.Clone(good)
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
		p, err := h.Callers.Authenticate(withBearer(signed(t, jwt.SigningMethodHS256, []byte(shopSecret), claims)))
		if err == nil {
			require.Equal(t, h.tenant.ID, p.TenantID)
		}
		return err
	}
	require.NoError(t, enter("sub", "1001"))
	require.NoError(t, enter("tenant", nil), "the key determines the tenant")
	for _, wrong := range []struct {
		claim string
		value any
	}{{"iss", nil}, {"iss", "another.example"}, {"aud", nil}, {"aud", "else"}, {"tenant", other.Name}} {
		requireCode(t, apperr.InvalidCredentials, enter(wrong.claim, wrong.value))
	}
}

func TestCustomerTokenExpires(t *testing.T) {
	h := shop(t)
	token := signed(t, jwt.SigningMethodHS256, []byte(shopSecret), jwt.MapClaims{
		"sub": "1001", "tenant": h.tenant.Name, "exp": h.clock.Now().Add(time.Minute).Unix(),
	})
	_, err := h.Callers.Authenticate(withBearer(token))
	require.NoError(t, err)
	h.clock.Advance(time.Minute + callers.ClockSkew + time.Second)
	_, err = h.Callers.Authenticate(withBearer(token))
	requireCode(t, apperr.InvalidCredentials, err)
}

func TestWithoutKeyAllCustomersAreRejected(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	_, err := h.Callers.Authenticate(withBearer(signed(t, jwt.SigningMethodHS256, []byte(""), jwt.MapClaims{"sub": "1001", "tenant": h.tenant.Name})))
	requireCode(t, apperr.InvalidCredentials, err)
}

// Proves G7.9.
func TestPublicKeysVerifyCustomersButAreNotSecrets(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := private.PublicKey.Bytes()
	require.NoError(t, err)
	published, err := json.Marshal(map[string]any{"keys": []any{map[string]any{
		"kty": "EC", "crv": "P-256", "kid": "shop-1", "alg": "ES256", "use": "sig",
		"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
	}}})
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(published) }))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h.Callers.Customers, err = callers.RemoteKeys(ctx, server.URL)
	require.NoError(t, err)

	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{"sub": "1001", "tenant": h.tenant.Name, "exp": 4070908800})
	token.Header["kid"] = "shop-1"
	text, err := token.SignedString(private)
	require.NoError(t, err)
	p, err := h.Callers.Authenticate(withBearer(text))
	require.NoError(t, err)
	require.EqualValues(t, "1001", p.CustomerID)

	for name, handler := range map[string]http.HandlerFunc{
		"another address": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, server.URL, http.StatusFound) },
		"a long reply": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 1<<20))
			_, _ = w.Write(published)
		},
	} {
		other := httptest.NewServer(handler)
		defer other.Close()
		trusted := h.Callers.Customers
		h.Callers.Customers, err = callers.RemoteKeys(ctx, other.URL)
		require.NoError(t, err)
		_, err = h.Callers.Authenticate(withBearer(text))
		h.Callers.Customers = trusted
		require.Truef(t, apperr.Has(err, apperr.InvalidCredentials), "keys of %s: %v", name, err)
	}

	forged := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": "1001", "tenant": h.tenant.Name})
	forged.Header["kid"] = "shop-1"
	text, err = forged.SignedString(point)
	require.NoError(t, err)
	_, err = h.Callers.Authenticate(withBearer(text))
	requireCode(t, apperr.InvalidCredentials, err)
}

// Proves G7.9.
func TestOnlyPermittedTokenActsForCustomer(t *testing.T) {
	h := shop(t)
	token := func(scopes ...string) string {
		secret, _, err := h.Users.CreateToken(anonymous(t), users.TokenSpec{Tenant: h.tenant.Name, Username: "admin", Name: "shop", Scopes: scopes})
		require.NoError(t, err)
		return secret
	}
	customer := signed(t, jwt.SigningMethodHS256, []byte(shopSecret), jwt.MapClaims{"sub": "1001", "tenant": h.tenant.Name})
	may := token(principal.Impersonate, "orders:pay")
	cases := map[string]struct {
		token string
		named []string
		want  apperr.Code
	}{
		"a token that may":            {may, []string{"1001"}, ""},
		"a token of unlimited scope":  {token(), []string{"1001"}, ""},
		"for a customer with a slash": {may, []string{"shop/li@example.com"}, ""},
		"a token that may not":        {token("orders:pay"), []string{"1001"}, apperr.Forbidden},
		"a customer":                  {customer, []string{"2002"}, apperr.Forbidden},
		"a customer for himself":      {customer, []string{"1001"}, apperr.Forbidden},
		"for two words":               {may, []string{"li wang"}, apperr.MalformedRequest},
		"without a subject":           {may, []string{""}, apperr.MalformedRequest},
		"for an encoded slash":        {may, []string{"a%2Fb"}, apperr.MalformedRequest},
		"for two customers at a time": {may, []string{"1001", "2002"}, apperr.MalformedRequest},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := withBearer(c.token)
			r.Header[callers.HeaderOnBehalfOf] = c.named
			p, err := h.Callers.Authenticate(r)
			if c.want != "" {
				requireCode(t, c.want, err)
				return
			}
			require.NoError(t, err)
			id, ok := p.Customer()
			require.True(t, ok)
			require.EqualValues(t, c.named[0], id)
			require.Equal(t, principal.Token, p.Kind)
			require.Equal(t, "admin", p.Name, "the token's user is responsible")
		})
	}
	t.Run("an admin", func(t *testing.T) {
		r := withCookie(http.MethodGet, h.mustSignIn(t))
		r.Header.Set(callers.HeaderOnBehalfOf, "1001")
		_, err := h.Callers.Authenticate(r)
		requireCode(t, apperr.Forbidden, err)
	})
	t.Run("once, and not with the next request", func(t *testing.T) {
		p, err := h.Callers.Authenticate(withBearer(may))
		require.NoError(t, err)
		_, ok := p.Customer()
		require.False(t, ok)
	})
}

func TestAuditLogNamesTheImpersonatedCustomer(t *testing.T) {
	h := shop(t)
	actor := principal.Principal{Kind: principal.Token, TenantID: h.tenant.ID, UserID: 1, Name: "admin", OnBehalfOf: "shop/1001"}
	act := func(role string) {
		require.NoError(t, h.runner.Do(principal.With(t.Context(), actor), func(ctx context.Context, u *uow.Unit) error {
			u.Audit(uow.Entry{Action: "test.done", Resource: "roles/" + role})
			return users.InsertRole(ctx, u, &users.Role{Name: role})
		}))
	}
	act("clerk")
	actor.OnBehalfOf = ""
	act("driver")
	var rows []uow.AuditRow
	require.NoError(t, h.db.Read(h.inside(t)).Where("action = ?", "test.done").Order("id").Find(&rows).Error)
	require.Len(t, rows, 2)
	require.NotNil(t, rows[0].OnBehalfOf)
	require.EqualValues(t, "shop/1001", *rows[0].OnBehalfOf)
	require.Nil(t, rows[1].OnBehalfOf)
}
