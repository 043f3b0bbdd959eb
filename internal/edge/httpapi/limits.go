package httpapi

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/ratelimit"
)

// rates are the rate limits of callers. They are checked before the permission, so that rejecting a
// forbidden request costs as little as rejecting one beyond the limit.
type rates struct{ principal, tenant, refused ratelimit.Limit }

// limit charges a request to the rates of its caller and its tenant. If the limiter fails the
// request continues: a failing limiter must not stop the service. Errors: RateLimited.
func (s *Server) limit(c echo.Context) error {
	p, _ := principal.From(c.Request().Context())
	tenant := strconv.FormatInt(p.TenantID, 10)
	if err := s.hold(c, "principal:"+tenant+":"+keyOf(p), s.rates.principal, "You have sent more requests than your rate allows."); err != nil {
		return err
	}
	return s.hold(c, "tenant:"+tenant, s.rates.tenant, "Your organisation has sent more requests than its rate allows.")
}

// limitRefused charges a request with rejected credentials to its network's rate. It returns the
// rejection or RateLimited.
func (s *Server) limitRefused(c echo.Context, refusal error) error {
	if !refused(refusal) {
		return refusal
	}
	key := "refused:" + ratelimit.Network(c.RealIP())
	if err := s.hold(c, key, s.rates.refused, "Your network sent too many requests with invalid credentials."); err != nil {
		return err
	}
	return refusal
}

// hold charges one request to a key. Errors: RateLimited with the sentence.
func (s *Server) hold(c echo.Context, key string, rate ratelimit.Limit, sentence string) error {
	if s.limiter == nil || rate.Rate == 0 {
		return nil
	}
	decision, err := s.limiter.Allow(c.Request().Context(), key, rate)
	if err != nil {
		return nil
	}
	header := c.Response().Header()
	if left, err := strconv.Atoi(header.Get("X-RateLimit-Remaining")); err != nil || decision.Remaining < left {
		header.Set("X-RateLimit-Remaining", strconv.Itoa(decision.Remaining))
	}
	if !decision.Allowed {
		return apperr.New(apperr.RateLimited, "%s", sentence).After(decision.RetryAfter)
	}
	return nil
}

// keyOf identifies a principal within its tenant.
func keyOf(p principal.Principal) string { return string(p.Kind) + ":" + p.ActorID() }

// openStreams counts the event streams and exports of each principal in this process.
type openStreams struct {
	// most is the maximum per principal; 0 means no limit.
	most int
	mu   sync.Mutex
	open map[string]int
}

// streamEnds is the Retry-After of a caller with too many streams.
const streamEnds = 5 * time.Second

// enter counts a stream of the caller until leave is called. Errors: RateLimited.
func (o *openStreams) enter(ctx context.Context) (leave func(), err error) {
	p, _ := principal.From(ctx)
	key := strconv.FormatInt(p.TenantID, 10) + ":" + keyOf(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.most > 0 && o.open[key] >= o.most {
		return nil, apperr.New(apperr.RateLimited, "You have %d open event streams and exports, the maximum. Close one first.", o.open[key]).After(streamEnds)
	}
	o.open[key]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.open[key]--; o.open[key] == 0 {
			delete(o.open, key)
		}
	}, nil
}
