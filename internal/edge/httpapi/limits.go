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

// rates are what callers are held to. They come before the permission is asked for: what is
// not allowed costs as much to refuse as the least that is.
type rates struct{ principal, tenant, refused ratelimit.Limit }

// limit holds a caller to its own rate and to that of its tenant. When the limiter itself
// fails the request goes on: a limit protects the service and must not take it down. Errors:
// RateLimited.
func (s *Server) limit(c echo.Context) error {
	p, _ := principal.From(c.Request().Context())
	tenant := strconv.FormatInt(p.TenantID, 10)
	if err := s.hold(c, "principal:"+tenant+":"+keyOf(p), s.rates.principal, "You have sent more requests than your rate allows."); err != nil {
		return err
	}
	return s.hold(c, "tenant:"+tenant, s.rates.tenant, "Your organisation has sent more requests than its rate allows.")
}

// limitRefused holds a network to the rate of what it may try with credentials that are
// refused, and returns the refusal otherwise. Errors: RateLimited.
func (s *Server) limitRefused(c echo.Context, refusal error) error {
	if !refused(refusal) {
		return refusal
	}
	key := "refused:" + ratelimit.Network(c.RealIP())
	if err := s.hold(c, key, s.rates.refused, "Too many requests with credentials that are refused came from your network."); err != nil {
		return err
	}
	return refusal
}

// hold charges one request to a key. Errors: RateLimited, with the sentence.
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

// keyOf names a principal within its tenant.
func keyOf(p principal.Principal) string { return string(p.Kind) + ":" + p.ActorID() }

// openStreams counts the event streams of each principal at this process.
type openStreams struct {
	// most is how many one may have; 0 means any number.
	most int
	mu   sync.Mutex
	open map[string]int
}

// streamEnds is when a caller with too many streams may ask again: when one ends.
const streamEnds = 5 * time.Second

// enter counts a stream of the caller until leave is called. Errors: RateLimited.
func (o *openStreams) enter(ctx context.Context) (leave func(), err error) {
	p, _ := principal.From(ctx)
	key := strconv.FormatInt(p.TenantID, 10) + ":" + keyOf(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.most > 0 && o.open[key] >= o.most {
		return nil, apperr.New(apperr.RateLimited, "You have %d event streams open, which is as many as you may. Close one first.", o.open[key]).After(streamEnds)
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
