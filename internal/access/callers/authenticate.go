package callers

import (
	"context"
	"net/http"
	"strings"

	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// Header names in canonical form, which makes their lookup cheap.
const (
	headerAuthorization = "Authorization"
	headerCSRF          = "X-Csrf-Token"
)

// Authenticate identifies the caller by the Authorization header or else the session cookie,
// and applies X-On-Behalf-Of. Errors: Unauthenticated, InvalidCredentials, CSRFFailed; for
// X-On-Behalf-Of: MalformedRequest, Forbidden.
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
	var token string
	if cookie, err := r.Cookie(sessions.CookieName(httpapi.OverTLS(r.Context()))); err == nil {
		token = cookie.Value
	}
	c, err := s.CallerInSession(r.Context(), token)
	if err != nil {
		return principal.Principal{}, err
	}
	if unsafe(r.Method) && !secrets.Same(r.Header.Get(headerCSRF), c.CSRF) {
		return principal.Principal{}, apperr.New(apperr.CSRFFailed, "A request with the session cookie needs the session's csrfToken in X-CSRF-Token.")
	}
	p := c.Principal
	p.EndsIn = c.endsIn(s.clock.Now())
	p.StepUpRequired = !c.isFresh(s.clock.Now())
	return p, nil
}

func (s *Service) authenticateBearer(ctx context.Context, header string) (principal.Principal, error) {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return principal.Principal{}, ErrWrongCredentials()
	case looksLikeJWT(token):
		return s.callerByJWT(ctx, token)
	case !secrets.IsToken(token):
		return principal.Principal{}, ErrWrongCredentials()
	}
	c, err := s.recognise(ctx, credential{kind: principal.Token, hash: secrets.DigestOf(token)})
	if err != nil {
		return principal.Principal{}, err
	}
	s.noteUse(c)
	p := c.Principal
	p.EndsIn = c.endsIn(s.clock.Now())
	return p, nil
}

// CallerInSession returns the caller of a session token; "" means no session. A stream does not
// count as a use of the session, because it stays open without a user.
func (s *Service) CallerInSession(ctx context.Context, token string) (*Caller, error) {
	switch len(token) {
	case 0:
		return nil, apperr.New(apperr.Unauthenticated, "This needs a session or an API token.")
	case secrets.Length:
	default:
		return nil, ErrNoSession()
	}
	c, err := s.recognise(ctx, credential{kind: principal.Admin, hash: secrets.DigestOf(token)})
	if err == nil && !httpapi.IsStream(ctx) {
		s.noteUse(c)
	}
	return c, err
}

// unsafe reports whether a method may change state (RFC 9110, 9.2.1).
func unsafe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return false
	}
	return true
}
