package access

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
)

const (
	// callerLife is how long a caller is believed without asking the database; a
	// revocation in another process is noticed after it at the latest.
	callerLife = time.Second
	// maxCallers bounds how many are remembered.
	maxCallers = 10_000
	// lookUpPatience bounds one look at the database on behalf of all that wait
	// for the same credential.
	lookUpPatience = 5 * time.Second
)

// Names of headers, in their canonical form so that looking them up is cheap.
const (
	headerAuthorization = "Authorization"
	headerCSRF          = "X-Csrf-Token"
)

// Authenticate finds out who sends a request, by its Authorization header or else
// its session cookie, and for whom. Errors: Unauthenticated, InvalidCredentials,
// CSRFFailed; of X-On-Behalf-Of: MalformedRequest, Forbidden.
func (s *Service) Authenticate(r *http.Request) (principal.Principal, error) {
	p, err := s.identify(r)
	if err != nil {
		return principal.Principal{}, err
	}
	return actFor(r, p)
}

func (s *Service) identify(r *http.Request) (principal.Principal, error) {
	if header := r.Header.Get(headerAuthorization); header != "" {
		return s.authenticateBearer(r.Context(), header)
	}
	c, err := s.callerByCookie(r)
	if err != nil {
		return principal.Principal{}, err
	}
	if unsafe(r.Method) && !sameSecret(r.Header.Get(headerCSRF), c.csrf) {
		return principal.Principal{}, apperr.New(apperr.CSRFFailed, "A request with the session cookie needs the session's csrfToken in X-CSRF-Token.")
	}
	return c.principal, nil
}

func (s *Service) authenticateBearer(ctx context.Context, header string) (principal.Principal, error) {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return principal.Principal{}, errWrongCredentials()
	case looksLikeJWT(token):
		return s.callerByJWT(ctx, token)
	case !isToken(token):
		return principal.Principal{}, errWrongCredentials()
	}
	credential := digestOf(token)
	if c := s.callers.recall(credential, s.clock.Now()); c != nil {
		return c.principal, nil
	}
	c, err := s.lookUp(ctx, credential, func(ctx context.Context) (*caller, error) {
		return s.callerByToken(ctx, credential)
	})
	if err != nil {
		return principal.Principal{}, err
	}
	return c.principal, nil
}

func (s *Service) callerByCookie(r *http.Request) (*caller, error) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return nil, apperr.New(apperr.Unauthenticated, "This needs a session or an API token.")
	}
	if len(cookie.Value) != secretLength {
		return nil, errNoSession()
	}
	credential := digestOf(cookie.Value)
	if c := s.callers.recall(credential, s.clock.Now()); c != nil {
		return c, nil
	}
	return s.lookUp(r.Context(), credential, func(ctx context.Context) (*caller, error) {
		return s.callerBySession(ctx, cookie.Value)
	})
}

// unsafe reports whether a method may change something (RFC 9110, 9.2.1).
func unsafe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return false
	}
	return true
}

func sameSecret(a, b string) bool {
	return b != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// caller is whom a credential stands for. It is shared and never changed.
type caller struct {
	principal principal.Principal
	user      User
	// csrf is the session's CSRF token; "" for an API token.
	csrf string
	// ends is when the credential does; zero means never.
	ends time.Time
	// known is when the database was asked.
	known time.Time
}

func (c *caller) fresh(now time.Time) bool {
	return now.Sub(c.known) < callerLife && !now.Before(c.known) && (c.ends.IsZero() || now.Before(c.ends))
}

// callers remembers who was recognised during the last second. Its content is
// one generation: to forget is to begin the next, so that a look at the database
// which began before a revocation leaves its answer where nobody looks any more.
type callers struct{ current atomic.Pointer[generation] }

type generation struct {
	mu           sync.RWMutex
	byCredential map[digest]*caller
	lookUps      singleflight.Group
}

// forget makes every caller be looked up anew.
func (c *callers) forget() { c.current.Store(&generation{byCredential: map[digest]*caller{}}) }

// recall returns who is remembered for a credential, or nil.
func (c *callers) recall(credential digest, now time.Time) *caller {
	g := c.current.Load()
	g.mu.RLock()
	found := g.byCredential[credential]
	g.mu.RUnlock()
	if found == nil || !found.fresh(now) {
		return nil
	}
	return found
}

func (g *generation) remember(credential digest, c *caller) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.byCredential) >= maxCallers {
		clear(g.byCredential)
	}
	g.byCredential[credential] = c
}

// lookUp asks the database whom a credential stands for, once for all requests
// that want to know at the same time.
func (s *Service) lookUp(ctx context.Context, credential digest, load func(context.Context) (*caller, error)) (*caller, error) {
	g := s.callers.current.Load()
	found, err, _ := g.lookUps.Do(string(credential[:]), func() (any, error) {
		// The first asker may hang up; the others still want the answer.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookUpPatience)
		defer cancel()
		known := s.clock.Now()
		c, err := load(ctx)
		if err != nil {
			return nil, err
		}
		c.known = known
		g.remember(credential, c)
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	return found.(*caller), nil
}
