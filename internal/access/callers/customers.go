package callers

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"

	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/base/expiry"
	"interlock/internal/base/oidc"
	"interlock/internal/base/principal"
)

const (
	// HeaderOnBehalfOf is the header with the customer that an API token acts for.
	HeaderOnBehalfOf = "X-On-Behalf-Of"
	// ClockSkew is the accepted difference between the clocks of the shop and this service.
	ClockSkew = 5 * time.Second
	// keysTimeout bounds the wait of a request for unknown keys.
	keysTimeout = 3 * time.Second
	// maxJWTBytes is in bytes; a customer's token is never longer.
	maxJWTBytes = 8 << 10
)

// CustomerKeys verifies the signatures of customers' tokens (JWT, RFC 7519), which the shop
// issues. A nil *CustomerKeys rejects all customers.
type CustomerKeys struct {
	key    jwt.Keyfunc
	parser []jwt.ParserOption
	// tenant is the only tenant that the key is valid for; "" for any tenant.
	tenant string
	// certificate is the TLS certificate of the key server.
	certificate *expiry.Seen
}

// CertificateEnd returns the expiry of the certificate that the key server presented last; the
// zero time without TLS.
func (k *CustomerKeys) CertificateEnd() time.Time { return k.certificate.End() }

// CustomerChecks are the required claims of a customer's token besides the subject; "" requires
// nothing.
type CustomerChecks struct {
	// Issuer and Audience are the required iss and aud.
	Issuer, Audience string
	// Tenant is the only accepted tenant, and the default of a token without a tenant.
	Tenant string
}

// Require returns keys that accept only tokens with these claims.
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

// SharedSecret accepts tokens that are signed with this secret by HS256.
func SharedSecret(secret string) *CustomerKeys {
	return &CustomerKeys{
		key:    func(*jwt.Token) (any, error) { return []byte(secret), nil },
		parser: []jwt.ParserOption{jwt.WithValidMethods([]string{"HS256"})},
	}
}

// RemoteKeys accepts tokens that are signed with a public key of the JSON Web Key Set (RFC 7517)
// at url. It reads the set immediately, then every hour and for each unknown key id, until ctx
// ends; if a read fails, the known keys remain valid. It does not follow redirects. It rejects
// HS256: if a public key served as an HMAC secret, anybody could sign.
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

// customerClaims are the claims that this service reads.
type customerClaims struct {
	jwt.RegisteredClaims
	// Subject hides the registered claim, because some issuers write the id as a number.
	Subject principal.CustomerID `json:"sub"`
	// Tenant is the tenant's name. Only a token of a key that is bound to a tenant may omit it.
	Tenant string `json:"tenant"`
	// Name is the customer's name in histories; derived from the id if "".
	Name string `json:"name"`
}

// looksLikeJWT distinguishes a customer's token from other bearer tokens without decoding it.
func looksLikeJWT(text string) bool {
	return len(text) <= maxJWTBytes && strings.HasPrefix(text, "eyJ") && strings.Count(text, ".") == 2
}

// isStrict reports whether all parsers read the same values from a token's header and claims;
// otherwise another program could check other values than this service uses. No member occurs
// twice. No member has the name of a member that this service reads in another case, because
// encoding/json accepts such a name. Times are numbers of seconds up to the year 9999, because the
// parser also accepts strings and numbers that overflow. crit is rejected: it requires extensions
// (RFC 7515, 4.1.11), and none is supported.
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

// isTime reports whether a JSON value is a number of seconds; a string is not.
func isTime(value jsontext.Value) bool {
	seconds, err := strconv.ParseFloat(string(value), 64)
	return err == nil && seconds >= 0 && seconds <= lastSecond
}

// claimsRead are the members of headers and claims that this service uses.
var claimsRead = []string{"alg", "kid", "crit", "sub", "tenant", "name", "exp", "nbf", "iat", "iss", "aud"}

// timeClaims are the claims that are times.
var timeClaims = []string{"exp", "nbf", "iat"}

// callerByJWT returns the customer that a token identifies. A customer has no row: every subject
// of a valid token is a customer. A token without expiry is rejected, because a leaked one could
// not be revoked.
func (s *Service) callerByJWT(ctx context.Context, text string) (principal.Principal, error) {
	if s.Customers == nil {
		return principal.Principal{}, ErrWrongCredentials()
	}
	var claims customerClaims
	options := append([]jwt.ParserOption{jwt.WithLeeway(ClockSkew), jwt.WithTimeFunc(s.clock.Now), jwt.WithExpirationRequired(), jwt.WithIssuedAt()}, s.Customers.parser...)
	_, err := jwt.ParseWithClaims(text, &claims, s.Customers.key, options...)
	bound := s.Customers.tenant
	switch {
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing) && claims.ExpiresAt == nil:
		return principal.Principal{}, errMissingClaim("exp")
	case err != nil || !isStrict(text):
		return principal.Principal{}, ErrWrongCredentials()
	case claims.Subject == "":
		return principal.Principal{}, errMissingClaim("sub")
	case claims.Tenant == "" && bound == "":
		return principal.Principal{}, errMissingClaim("tenant")
	case claims.Tenant == "":
		claims.Tenant = bound
	}
	if !claims.Subject.Valid() || bound != "" && claims.Tenant != bound {
		return principal.Principal{}, ErrWrongCredentials()
	}
	tenant, err := s.tenants.Cached(ctx, claims.Tenant)
	if apperr.Has(err, apperr.NotFound) {
		return principal.Principal{}, ErrWrongCredentials()
	}
	if err == nil {
		err = s.requireOpen(ctx, tenant.ID)
	}
	if err != nil {
		return principal.Principal{}, err
	}
	ends := Caller{ends: claims.ExpiresAt.Add(ClockSkew)}
	return principal.Principal{
		EndsIn: ends.endsIn(s.clock.Now()),
		Kind:   principal.Customer, TenantID: tenant.ID, Currency: tenant.Currency, CustomerID: claims.Subject, Name: customerName(claims.Name, claims.Subject),
		Permissions: s.CustomerMay,
	}, nil
}

// errMissingClaim is the error for a token with a valid signature.
func errMissingClaim(name string) error {
	return apperr.New(apperr.InvalidCredentials, "The customer's token has no claim `%s`.", name)
}

// maxDerivedName bounds a derived name, in characters, without the ellipsis; every column can store it.
const maxDerivedName = 99

func customerName(name string, id principal.CustomerID) string {
	if input.CheckName("", name) != nil {
		return clip.Text("customer "+string(id), maxDerivedName)
	}
	return name
}

// actFor applies X-On-Behalf-Of. Only API tokens with the permission customers:impersonate may
// send it; histories and the audit log still name the token's user, who is responsible. Errors:
// MalformedRequest, Forbidden.
func actFor(r *http.Request, p principal.Principal) (principal.Principal, error) {
	named := r.Header[HeaderOnBehalfOf]
	if len(named) == 0 {
		return p, nil
	}
	if p.Kind != principal.Token || !p.May(principal.Impersonate) {
		return p, apperr.New(apperr.Forbidden, "Only an API token with the permission %s may send %s.", principal.Impersonate, HeaderOnBehalfOf)
	}
	id := principal.CustomerID(named[0])
	if len(named) > 1 || !id.Valid() {
		return p, apperr.New(apperr.MalformedRequest, "%s must name one customer: it %s.", HeaderOnBehalfOf, id.Rule())
	}
	p.OnBehalfOf = id
	return p, nil
}

// requireOpen returns InvalidCredentials for a disabled tenant. It serves customers, who have no
// row, and uses the cache of callers.
func (s *Service) requireOpen(ctx context.Context, id int64) error {
	_, err := s.recognise(ctx, credentialOfTenant(id))
	return err
}
