package httpapi

import (
	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/ratelimit"
)

// Actions of rejections in the audit log.
const (
	RefusedSignIn  = "session.refuse"
	RefusedRequest = "request.refuse"
)

// Refusal is a rejected sign-in, or a rejected request of a caller that is not allowed to send it
// or sends too many.
type Refusal struct {
	// TenantID is the tenant's id, or 0 if only Tenant is known, a name that a caller entered.
	TenantID int64
	Tenant   string
	Action   string
	Code     apperr.Code
	// Network is the network of the caller: see ratelimit.Network.
	Network string
	// Who is the name of the caller or of the account, "" if the account does not exist.
	Who string
	// Route is the method and the path of the route, "" for a sign-in.
	Route string
}

// RefusalCounter receives each rejection. It must not block, because the caller is waiting.
type RefusalCounter interface{ CountRefusal(Refusal) }

// isRefusal reports whether a code rejects the caller rather than the change.
func isRefusal(code apperr.Code) bool {
	switch code {
	case apperr.Unauthenticated, apperr.InvalidCredentials, apperr.Forbidden, apperr.CSRFFailed, apperr.StepUpRequired,
		apperr.RateLimited, apperr.TooManyAttempts, apperr.QuotaExceeded:
		return true
	}
	return false
}

// countRefusal counts a rejection in the metrics and, if the caller is known, for the audit log.
// Package access counts rejected sign-ins.
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
