package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/panics"
	"interlock/internal/base/principal"
)

const (
	errorKey     = "httpapi.error"
	callersIDKey = "httpapi.callersID"
	secureKey    = "httpapi.secure"
)

// identified sets the request's id: a valid X-Request-Id of a trusted proxy, otherwise a new one,
// so that a caller cannot write the id of another request into the audit log. Every reply contains
// it; the log also contains the id that the caller sent.
func (s *Server) identified(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if sound := soundRequestID(id); !sound || !s.trusts(c.Request().RemoteAddr) {
			if sound {
				c.Set(callersIDKey, id)
			}
			id = uuid.Must(uuid.NewV7()).String()
		}
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		c.SetRequest(c.Request().WithContext(principal.WithRequest(c.Request().Context(), id)))
		return next(c)
	}
}

func soundRequestID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

var tracer = otel.Tracer("interlock/httpapi")

// observed traces the request, measures it and writes one line to the access log. It also sends the
// reply to an error, so that the reported status is the one that was sent.
func (s *Server) observed(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := clock.Mark()
		request := c.Request()
		ctx := otel.GetTextMapPropagator().Extract(request.Context(), propagation.HeaderCarrier(request.Header))
		ctx, span := tracer.Start(ctx, request.Method, trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		c.SetRequest(request.WithContext(ctx))

		if err := next(c); err != nil {
			c.Error(err)
		}
		route, status, took := c.Path(), c.Response().Status, clock.Since(start)
		if route == "" {
			route = "(none)"
		}
		err, _ := c.Get(errorKey).(error)
		if status >= http.StatusInternalServerError && errors.Is(request.Context().Err(), context.Canceled) {
			status = statusClientDisconnected
		}
		s.metrics.request(request.Method, route, status, took)
		span.SetName(request.Method + " " + route)
		span.SetAttributes(attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(status))
		}
		logRequest(c, route, status, float64(took.Microseconds())/1000, err)
		return nil
	}
}

func logRequest(c echo.Context, route string, status int, milliseconds float64, err error) {
	ctx := c.Request().Context()
	level := slog.LevelInfo
	attributes := []slog.Attr{
		slog.String("method", c.Request().Method),
		slog.String("route", route),
		slog.Int("status", status),
		slog.Float64("durationMs", milliseconds),
		slog.String("ip", c.RealIP()),
	}
	if id, ok := c.Get(callersIDKey).(string); ok {
		attributes = append(attributes, slog.String("callersRequestId", id))
	}
	if err != nil {
		var known *apperr.Error
		if errors.As(err, &known) {
			attributes = append(attributes, slog.String("code", string(known.Code)))
		}
		if status >= http.StatusInternalServerError {
			level = slog.LevelError
			attributes = append(attributes, slog.String("error", err.Error()))
		}
	}
	slog.LogAttrs(ctx, level, "request", attributes...)
}

// recovered turns a panic into an internal error.
func recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		return withRecovery(func() error { return next(c) })
	}
}

// withRecovery runs fn and returns a panic as an internal error. A unit of work in fn has already been
// rolled back.
func withRecovery(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler { //nolint:errorlint // a sentinel by identity, as net/http compares it
				panic(p)
			}
			err = panics.Error(p)
		}
	}()
	return fn()
}

// Content security policies without other origins. The admin's components set styles from scripts.
const (
	policy     = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	apiPolicy  = "default-src 'none'; frame-ancestors 'none'"
	noSniff    = "nosniff"
	noReferrer = "no-referrer"
)

func (s *Server) secured(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		header := c.Response().Header()
		header.Set(echo.HeaderXContentTypeOptions, noSniff)
		header.Set(echo.HeaderReferrerPolicy, noReferrer)
		header.Set(echo.HeaderXFrameOptions, "DENY")
		header.Set(echo.HeaderCacheControl, "no-store")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if isAPI(c.Request().URL.Path) {
			header.Set(echo.HeaderContentSecurityPolicy, apiPolicy)
		} else {
			header.Set(echo.HeaderContentSecurityPolicy, policy)
		}
		if s.secure || c.Request().TLS != nil || s.trusts(c.Request().RemoteAddr) && c.Request().Header.Get(echo.HeaderXForwardedProto) == "https" {
			c.Set(secureKey, true)
			c.SetRequest(c.Request().WithContext(context.WithValue(c.Request().Context(), overTLSKey{}, true)))
			header.Set(echo.HeaderStrictTransportSecurity, "max-age=31536000")
		}
		return next(c)
	}
}

// readable rejects addresses that no column can store (invalid UTF-8, NUL) and queries that cannot
// be decoded: the standard library would drop such a parameter, and a list without its filter is a
// different list.
func readable(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		request := c.Request()
		if !plainText(request.URL.Path) {
			return apperr.New(apperr.MalformedRequest, "The address has characters that are not text.")
		}
		if _, err := url.ParseQuery(request.URL.RawQuery); err != nil {
			return apperr.Malformed("?", "cannot be decoded; write % as %25 and ; as %3B").Because(err)
		}
		for name, values := range c.QueryParams() {
			if !plainText(name) || !plainText(strings.Join(values, "")) {
				return apperr.Malformed("?"+strings.ToValidUTF8(name, "�"), "has characters that are not text")
			}
		}
		return next(c)
	}
}
