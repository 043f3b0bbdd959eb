package httpapi

import (
	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/ratelimit"
)

// What was refused, as the audit log calls it.
const (
	RefusedSignIn  = "session.refuse"
	RefusedRequest = "request.refuse"
)

// Refusal is something that was refused to somebody: a sign-in, or a request of a caller who
// may not make it or makes too many.
type Refusal struct {
	// TenantID is the tenant's id, or 0 where only its Tenant, a name that somebody typed, is
	// known.
	TenantID int64
	Tenant   string
	Action   string
	Code     apperr.Code
	// Network is where it came from: see ratelimit.Network.
	Network string
	// Who is the name of the caller or of the account, "" for one that does not exist.
	Who string
	// Route is the method and the path of the route, "" of a sign-in.
	Route string
}

// RefusalCounter is told of each refusal. It must not block: the caller waits for its answer.
type RefusalCounter interface{ CountRefusal(Refusal) }

// isRefusal reports whether a code says that somebody may not, whoever they are.
func isRefusal(code apperr.Code) bool {
	switch code {
	case apperr.Unauthenticated, apperr.InvalidCredentials, apperr.Forbidden, apperr.CSRFFailed, apperr.StepUpRequired,
		apperr.RateLimited, apperr.TooManyAttempts, apperr.QuotaExceeded:
		return true
	}
	return false
}

// countRefusal counts a refusal in the metrics, and for the audit log where it is known who
// was refused what. Sign-ins are counted where they are made.
func (s *Server) countRefusal(c echo.Context, code apperr.Code) {
	s.metrics.refusals.WithLabelValues(string(code)).Inc()
	p, known := principal.From(c.Request().Context())
	if !known || s.refusals == nil {
		return
	}
	s.refusals.CountRefusal(Refusal{
		TenantID: p.TenantID, Action: RefusedRequest, Code: code, Network: ratelimit.Network(c.RealIP()), Who: p.Name,
		Route: c.Request().Method + " " + c.Path(),
	})
}
