package access

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"

	"interlock/internal/base/apperr"
	"interlock/internal/base/expiry"
	"interlock/internal/base/oidc"
	"interlock/internal/base/principal"
)

const (
	// headerOnBehalfOf names the customer for whom an API token acts.
	headerOnBehalfOf = "X-On-Behalf-Of"
	// clockSkew is how far the shop's clock may be from ours.
	clockSkew = 5 * time.Second
	// keysTimeout bounds how long a request waits for keys that were not known yet.
	keysTimeout = 3 * time.Second
	// longestJWT is in bytes; nobody signs more for a customer.
	longestJWT = 8 << 10
)

// CustomerKeys check the signatures of customers' tokens (JWT, RFC 7519), which
// the shop issues and this service only reads. The nil value knows no customers.
type CustomerKeys struct {
	key    jwt.Keyfunc
	parser []jwt.ParserOption
	// tenant is the only one whose customers the key signs for; "" for any.
	tenant string
	// certificate is that of the address of the keys.
	certificate *expiry.Seen
}

// CertificateEnd returns when the certificate that the address of the keys presented last
// expires; the zero time without TLS.
func (k *CustomerKeys) CertificateEnd() time.Time { return k.certificate.End() }

// CustomerChecks are what a customer's token must say beside whose it is; "" asks for nothing.
type CustomerChecks struct {
	// Issuer and Audience are what its iss and aud must be.
	Issuer, Audience string
	// Tenant is the tenant that the key is bound to, and what a token without one means.
	Tenant string
}

// Require returns the keys for tokens that these checks hold for.
func (k *CustomerKeys) Require(c CustomerChecks) *CustomerKeys {
	bound := *k
	bound.parser, bound.tenant = slices.Clone(k.parser), c.Tenant
	if c.Issuer != "" {
		bound.parser = append(bound.parser, jwt.WithIssuer(c.Issuer))
	}
	if c.Audience != "" {
		bound.parser = append(bound.parser, jwt.WithAudience(c.Audience))
	}
	return &bound
}

// SharedSecret accepts tokens that were signed with this secret by HS256.
func SharedSecret(secret string) *CustomerKeys {
	return &CustomerKeys{
		key:    func(*jwt.Token) (any, error) { return []byte(secret), nil },
		parser: []jwt.ParserOption{jwt.WithValidMethods([]string{"HS256"})},
	}
}

// RemoteKeys accepts tokens that were signed with a public key of the JSON Web
// Key Set (RFC 7517) at url. The set is read at once, then every hour and when a
// token names an unknown key, until ctx ends; while it cannot be read, the keys
// known so far stay good. Redirects are not followed. Secrets are not accepted: a public key that is taken
// for a secret would let everybody sign.
func RemoteKeys(ctx context.Context, url string) (*CustomerKeys, error) {
	seen := &expiry.Seen{}
	keys, err := keyfunc.NewDefaultOverrideCtx(ctx, []string{url}, keyfunc.Override{
		Client: oidc.HTTPClient(keysTimeout, seen), HTTPTimeout: keysTimeout, RateLimitWaitMax: 10 * time.Millisecond,
	})
	if err != nil {
		return nil, fmt.Errorf("read the customers' keys from %s: %w", url, err)
	}
	return &CustomerKeys{
		key: keys.Keyfunc, certificate: seen,
		parser: []jwt.ParserOption{jwt.WithValidMethods([]string{
			"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
		})},
	}, nil
}

// customerClaims are what is read of a customer's token.
type customerClaims struct {
	jwt.RegisteredClaims
	// Subject hides the registered one, because some issuers write the id as a number.
	Subject principal.CustomerID `json:"sub"`
	// Tenant is the tenant's name; DefaultTenant when left out.
	Tenant string `json:"tenant"`
	// Name is what others read in histories; made from the id when left out.
	Name string `json:"name"`
}

// looksLikeJWT tells a customer's token from everything else that may follow
// "Bearer", without decoding it.
func looksLikeJWT(text string) bool {
	return len(text) <= longestJWT && strings.HasPrefix(text, "eyJ") && strings.Count(text, ".") == 2
}

// isStrict reports whether a token's header and claims mean one thing to every reader. No member
// is there twice, and none that is read is spelled in another case, which encoding/json takes for
// the same: of two, the one that is read here and the one that another program checked could be
// different ones. Times are numbers of seconds up to the year 9999: the parser also takes texts, and
// numbers that overflow. A crit asks for extensions (RFC 7515, 4.1.11), of which there are none here.
func isStrict(text string) bool {
	header, claims, _ := strings.Cut(text[:strings.LastIndexByte(text, '.')], ".")
	for _, part := range []string{header, claims} {
		decoded, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || !jsontext.Value(decoded).IsValid() {
			return false
		}
		var members map[string]jsontext.Value
		if json.Unmarshal(decoded, &members) != nil {
			return false
		}
		for name, value := range members {
			if slices.ContainsFunc(claimsRead, func(read string) bool { return read != name && strings.EqualFold(read, name) }) {
				return false
			}
			if name == "crit" || slices.Contains(timeClaims, name) && !isTime(value) {
				return false
			}
		}
	}
	return true
}

// lastSecond is the end of the year 9999.
const lastSecond = 253402300799

// isTime reports whether a JSON value is a number of seconds; a text has quotes and is none.
func isTime(value jsontext.Value) bool {
	seconds, err := strconv.ParseFloat(string(value), 64)
	return err == nil && seconds >= 0 && seconds <= lastSecond
}

// claimsRead are the members of a header and of claims that decide anything here.
var claimsRead = []string{"alg", "kid", "crit", "sub", "tenant", "name", "exp", "nbf", "iat", "iss", "aud"}

// timeClaims are those that are times.
var timeClaims = []string{"exp", "nbf", "iat"}

// callerByJWT finds out which customer a token names. A customer has no row here:
// whoever the shop signs for is one, as long as the token lasts. A token that never ends is
// none: one that leaked could not be taken back.
func (s *Service) callerByJWT(ctx context.Context, text string) (principal.Principal, error) {
	if s.customers == nil {
		return principal.Principal{}, errWrongCredentials()
	}
	var claims customerClaims
	options := append([]jwt.ParserOption{jwt.WithLeeway(clockSkew), jwt.WithTimeFunc(s.clock.Now), jwt.WithExpirationRequired(), jwt.WithIssuedAt()}, s.customers.parser...)
	if _, err := jwt.ParseWithClaims(text, &claims, s.customers.key, options...); err != nil {
		return principal.Principal{}, errWrongCredentials()
	}
	if bound := s.customers.tenant; bound != "" && claims.Tenant == "" {
		claims.Tenant = bound
	} else if bound != "" && claims.Tenant != bound {
		return principal.Principal{}, errWrongCredentials()
	}
	if !claims.Subject.Valid() || !isStrict(text) {
		return principal.Principal{}, errWrongCredentials()
	}
	tenant, err := s.tenants.find(ctx, s.store, claims.Tenant)
	if apperr.Has(err, apperr.NotFound) {
		return principal.Principal{}, errWrongCredentials()
	}
	if err == nil {
		err = s.requireOpen(ctx, tenant.id)
	}
	if err != nil {
		return principal.Principal{}, err
	}
	ends := caller{ends: claims.ExpiresAt.Add(clockSkew)}
	return principal.Principal{
		EndsIn: ends.endsIn(s.clock.Now()),
		Kind:   principal.Customer, TenantID: tenant.id, Currency: tenant.currency, CustomerID: claims.Subject, Name: customerName(claims.Name, claims.Subject),
		Permissions: s.customerMay,
	}, nil
}

func customerName(name string, id principal.CustomerID) string {
	if checkName("", name) != nil {
		return "customer " + string(id)
	}
	return name
}

// actFor lets p act for the customer that the request names, if it names one.
// Only API tokens may, with the permission customers:impersonate; histories and
// the audit log go on naming the token's user, who answers for it. Errors:
// MalformedRequest, Forbidden.
func actFor(r *http.Request, p principal.Principal) (principal.Principal, error) {
	named := r.Header[headerOnBehalfOf]
	if len(named) == 0 {
		return p, nil
	}
	if p.Kind != principal.Token || !p.May(principal.Impersonate) {
		return p, apperr.New(apperr.Forbidden, "Only an API token with the permission %s may send %s.", principal.Impersonate, headerOnBehalfOf)
	}
	id := principal.CustomerID(named[0])
	if len(named) > 1 || !id.Valid() {
		return p, apperr.New(apperr.MalformedRequest, "%s must name one customer: it %s.", headerOnBehalfOf, id.Rule())
	}
	p.OnBehalfOf = id
	return p, nil
}
