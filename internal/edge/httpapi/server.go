package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/ratelimit"
)

// Bounds of the HTTP server.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 120 * time.Second
	requestTimeout    = 40 * time.Second
	maxHeaderBytes    = 64 << 10
	largeBodies       = 2
)

// Options are the dependencies and settings of a Server.
type Options struct {
	Runner        *uow.Runner
	Authenticator Authenticator
	Limiter       ratelimit.Limiter
	// Rate limits one principal, TenantRate all principals of a tenant together, and RefusedRate
	// one network with rejected credentials; zero means no limit.
	Rate, TenantRate, RefusedRate ratelimit.Limit
	// MaxStreams limits the event streams and exports of one principal in this process. MaxConnections limits
	// the connections of all callers; one network may have a quarter. 0 means no limit.
	MaxStreams, MaxConnections int
	// TrustedProxies are the networks with trusted X-Forwarded-For and X-Forwarded-Proto headers.
	// Without any, the caller's address is that of the peer.
	TrustedProxies []*net.IPNet
	// Certificate is the TLS certificate; nil for plain HTTP.
	Certificate *Certificate
	// Secure is set if callers use TLS up to a proxy. Cookies are then Secure, and browsers receive
	// HSTS.
	Secure bool
	// Conflicts and Refusals may be nil.
	Conflicts ConflictCounter
	Refusals  RefusalCounter
	// Replies may be nil: idempotency keys are then validated and have no effect.
	Replies ReplyStore
	// Secrets is required if Replies is set and a request has a Secret.
	Secrets SecretDigester
}

// ConflictCounter receives each write that was rejected because another write was first. It must
// not block, because the caller is waiting. The record is the path of the record in the request,
// such as "configs/checkout.tax", or "".
type ConflictCounter interface {
	CountConflict(tenant int64, resource, record string, code apperr.Code)
}

// Server is the HTTP server: Echo with this package's middleware.
type Server struct {
	echo          *echo.Echo
	http          *http.Server
	router        *Router
	runner        *uow.Runner
	authenticator Authenticator
	limiter       ratelimit.Limiter
	rates         rates
	streams       openStreams
	connections   int
	certificate   *Certificate
	secure        bool
	proxies       []*net.IPNet
	metrics       *metrics
	// pages are served for addresses without a route; nil in a worker.
	pages     Pages
	conflicts ConflictCounter
	refusals  RefusalCounter
	replies   ReplyStore
	secrets   SecretDigester
	drain     *drain
	// large is a semaphore for the requests with large bodies.
	large chan struct{}
}

// NewServer returns a server without routes.
func NewServer(o Options) *Server {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect()
	if len(o.TrustedProxies) > 0 {
		trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
		for _, network := range o.TrustedProxies {
			trust = append(trust, echo.TrustIPRange(network))
		}
		e.IPExtractor = echo.ExtractIPFromXFFHeader(trust...)
	}
	s := &Server{
		echo: e, runner: o.Runner, authenticator: o.Authenticator, limiter: o.Limiter,
		rates:   rates{principal: o.Rate, tenant: o.TenantRate, refused: o.RefusedRate},
		streams: openStreams{most: o.MaxStreams, open: map[string]int{}}, connections: o.MaxConnections,
		certificate: o.Certificate, secure: o.Secure, proxies: o.TrustedProxies,
		metrics: newMetrics(), conflicts: o.Conflicts, refusals: o.Refusals, replies: o.Replies, secrets: o.Secrets, drain: newDrain(),
		large: make(chan struct{}, largeBodies),
	}
	s.router = &Router{server: s, prefix: Base, routes: new([]*Route)}
	s.http = &http.Server{
		Handler:           e,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	e.HTTPErrorHandler = s.sendError
	e.Pre(s.identified, s.observed, recovered, s.closeWhileDraining, s.secured, readable)
	return s
}

// Router returns the router on which domains register their routes.
func (s *Server) Router() *Router { return s.router }

// Handle registers a handler outside the API's base, such as /healthz.
func (s *Server) Handle(method, path string, handler http.Handler) {
	s.handle(method, path, echo.WrapHandler(handler))
}

// handle registers a handler. It registers a handler of GET for HEAD too (RFC 9110, 9.3.2);
// net/http then omits the body.
func (s *Server) handle(method, path string, handler echo.HandlerFunc) {
	handler = decoded(handler)
	s.echo.Add(method, path, handler)
	if method == http.MethodGet {
		s.echo.Add(http.MethodHead, path, handler)
	}
}

// decoded unescapes the path parameters. Echo leaves escapes in a path that the client escaped
// differently from Go, such as %3A for a colon. An empty parameter, as in /wallets//entries, is
// 404.
func decoded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if slices.Contains(c.ParamValues(), "") {
			return echo.ErrNotFound
		}
		if c.Request().URL.RawPath == "" {
			return next(c)
		}
		if err := unescapeParams(c); err != nil {
			return echo.ErrNotFound
		}
		return next(c)
	}
}

func unescapeParams(c echo.Context) error {
	values := slices.Clone(c.ParamValues())
	for i, value := range values {
		plain, err := url.PathUnescape(value)
		if err != nil {
			return err
		}
		values[i] = plain
	}
	c.SetParamValues(values...)
	return nil
}

// reads reports whether a request is a read.
func reads(request *http.Request) bool {
	return request.Method == http.MethodGet || request.Method == http.MethodHead
}

// Pages is the web admin.
type Pages interface {
	http.Handler
	// Has reports whether a GET of the address finds a page.
	Has(request *http.Request) bool
}

// HandlePages registers the pages, served for GET and HEAD of addresses without a route. Every
// other request without a route, including each one below /api, receives a problem.
func (s *Server) HandlePages(pages Pages) { s.pages = pages }

// isPage reports whether err means that no route matches, and a page exists.
func (s *Server) isPage(request *http.Request, err error) bool {
	return s.pages != nil && reads(request) && !isAPI(request.URL.Path) && errors.Is(err, echo.ErrNotFound) && s.pages.Has(request)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

// Serve serves until Shutdown. Connections beyond MaxConnections wait: see connections.
func (s *Server) Serve(listener net.Listener) error {
	if s.connections > 0 {
		bounded := listen(listener, s.connections, s.trusts)
		listener, s.http.ConnState = bounded, bounded.note
	}
	serve := s.http.Serve
	if s.certificate != nil {
		s.http.TLSConfig = s.certificate.Config()
		serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
	}
	if err := serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Shutdown stops accepting connections, ends the streams and waits for the requests in flight. If
// ctx ends first, it closes all connections.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drain.finish()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("wait for requests: %w", err), s.http.Close())
	}
	return nil
}

// Close closes all connections immediately, for a process that must stop serving.
func (s *Server) Close() error {
	s.drain.finish()
	return s.http.Close()
}

// sendError sends the problem for an error of a handler. After the reply has started, the error
// only appears in the access log.
func (s *Server) sendError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	if s.isPage(c.Request(), err) {
		s.pages.ServeHTTP(c.Response(), c.Request())
		return
	}
	s.count(c, err)
	out, _ := problem(c.Request().Context(), err)
	if sendErr := out.send(c); sendErr != nil {
		c.Set(errorKey, errors.Join(err, sendErr))
	}
}

// count passes an error to the access log, and counts conflicts and rejections.
func (s *Server) count(c echo.Context, err error) {
	code := Visible(err).Code
	c.Set(errorKey, err)
	if isConflict(code) {
		route := strings.TrimPrefix(c.Path(), Base)
		s.countConflict(c.Request().Context(), resourceOf(route), recordOf(route, c.Param), code)
	}
	if isRefusal(code) {
		s.countRefusal(c, code)
	}
}

// recordOf returns the path of the record in a route, from the parameters that directly follow the
// resource; "" for none.
func recordOf(route string, param func(name string) string) string {
	resource, rest, _ := strings.Cut(strings.TrimPrefix(route, "/"), "/")
	path := resource
	for segment := range strings.SplitSeq(rest, "/") {
		name, isParam := strings.CutPrefix(segment, ":")
		if !isParam {
			break
		}
		path += "/" + url.PathEscape(param(name))
	}
	if path == resource {
		return ""
	}
	return path
}

func (s *Server) countConflict(ctx context.Context, resource, record string, code apperr.Code) {
	s.metrics.conflicts.WithLabelValues(resource, string(code)).Inc()
	if p, ok := principal.From(ctx); ok && s.conflicts != nil {
		s.conflicts.CountConflict(p.TenantID, resource, record, code)
	}
}

// bounded cancels a request's context after requestTimeout. The handler fails at its next
// statement; no work continues after the reply.
func (s *Server) bounded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx, cancel := context.WithTimeout(c.Request().Context(), requestTimeout)
		defer cancel()
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

// trusts reports whether an address, with its port, belongs to a trusted proxy.
func (s *Server) trusts(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return false
	}
	address := net.ParseIP(host)
	return slices.ContainsFunc(s.proxies, func(n *net.IPNet) bool { return n.Contains(address) })
}

// isAPI reports whether a path belongs to the API, of any version, or to OFREP.
func isAPI(path string) bool {
	root, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return root == "api" || root == "ofrep"
}
