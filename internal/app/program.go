package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	_ "modernc.org/sqlite" // the driver of storage.SQLite

	"interlock/internal/access"
	"interlock/internal/access/callers"
	"interlock/internal/access/passwords"
	"interlock/internal/base/background"
	"interlock/internal/base/claim"
	"interlock/internal/base/clock"
	"interlock/internal/base/oidc"
	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/telemetry"
	"interlock/internal/ratelimit"
	"interlock/internal/settings"
	"interlock/internal/views/engines"
	"interlock/web"
)

// Program is the complete service, started by Start and Run.
type Program struct {
	Settings settings.Settings
	Version  string
	// Announce receives a generated admin password, once; nil discards it.
	Announce func(password string)
	// Clock is the program's clock; nil means the system clock.
	Clock clock.Clock
	// HashCost is the cost of password hashes; zero means the OWASP recommendation. Tests use less.
	HashCost passwords.Cost

	services *Services
	claim    *claim.Claim
	server   *httpapi.Server
	listener net.Listener
	// ops serves operators at opsListener; both are nil if the main server does.
	ops         *httpapi.Server
	opsListener net.Listener
	closers     []func()
}

// New returns the program for its settings.
func New(s settings.Settings, version string) *Program {
	return &Program{Settings: s, Version: version}
}

// Start opens the engines and the listeners. Addr is valid afterwards; requests are served only by
// Run.
func (p *Program) Start(ctx context.Context) error {
	if err := p.start(ctx); err != nil {
		p.close()
		return err
	}
	return nil
}

func (p *Program) start(ctx context.Context) error {
	if path, ok := p.Settings.SQLitePath(); ok {
		if err := p.claimFile(path); err != nil {
			return err
		}
	}
	stopTracing, err := telemetry.StartTracing(ctx, p.Settings.OTLPEndpoint, p.Version)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, func() { stopWithin(stopTracing, 5*time.Second) })
	customers, err := p.customerKeys(ctx)
	if err != nil {
		return err
	}
	providers, err := p.providers()
	if err != nil {
		return err
	}
	networks, err := p.Settings.PrivateReceivers()
	if err != nil {
		return err
	}
	p.services, err = Open(ctx, p.Settings.Storage, Options{
		Create: true, RedisURL: p.Settings.RedisURL, WeakPasswords: p.Settings.InsecureDevelopment, Customers: customers, Idempotency: p.Settings.Idempotency,
		PaymentTimeout: p.Settings.FlashSalePaymentTimeout, SessionLifetime: p.Settings.SessionLifetime, SessionIdle: p.Settings.SessionIdle,
		Providers: providers, PublicURL: p.Settings.PublicURL,
		WebhookNetworks: networks,
		SignInRate:      p.Settings.SignInLimit, PromiseShare: p.Settings.PromiseShare / 100, Retention: p.Settings.Retention,
		Clock: p.Clock, HashCost: p.HashCost,
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.services.Close)
	for _, provider := range providers {
		p.services.Engines.WatchCertificate("oidc "+provider.Name, provider.OIDC.CertificateEnd)
	}
	if p.Settings.CustomerJWKSURL != "" {
		p.services.Engines.WatchCertificate("customer-keys", customers.CertificateEnd)
	}
	// Risks to durability are reported before the process accepts requests.
	p.services.Engines.Inspect(ctx)
	if err := requireFit(p.services.Engines.Report()); err != nil {
		return err
	}
	if err := p.services.requireKeys(ctx, p.Settings.Storage); err != nil {
		return err
	}
	if p.services.DB.Dialect == storage.MySQL {
		if err := p.claimDatabase(ctx); err != nil {
			return err
		}
	}
	generated, err := p.services.MakeFirstAdmin(ctx, p.Settings.FirstAdmin)
	if err != nil {
		return err
	}
	if generated != "" && p.Announce != nil {
		p.Announce(generated)
	}
	if p.server, err = p.newServer(); err != nil {
		return err
	}
	if p.listener, err = net.Listen("tcp", p.Settings.Addr); err != nil {
		return fmt.Errorf("listen on %s: %w", p.Settings.Addr, err)
	}
	if p.ops != nil {
		if p.opsListener, err = net.Listen("tcp", p.Settings.OpsAddr); err != nil {
			return errors.Join(fmt.Errorf("listen on %s: %w", p.Settings.OpsAddr, err), p.listener.Close())
		}
	}
	return nil
}

// ErrUnfitEngine means that the settings of an engine would break a promise. The program then does
// not start.
var ErrUnfitEngine = errors.New("an engine is not fit for the service")

// requireFit returns an error for the fatal findings of a report.
func requireFit(report engines.Report) error {
	var refused error
	for _, finding := range report.Fatal() {
		refused = errors.Join(refused, fmt.Errorf("%w: %s: %s", ErrUnfitEngine, finding.What(), finding.Says))
	}
	return refused
}

// claimFile claims an embedded database exclusively.
func (p *Program) claimFile(path string) error {
	if err := storage.CreateFolder(path); err != nil {
		return err
	}
	var err error
	if p.claim, err = claim.File(path, p.Settings.Role, clock.System{}); err != nil {
		return err
	}
	p.closers = append(p.closers, p.claim.Release)
	return nil
}

// claimDatabase claims the database of a database server: exclusively, or together with other
// servers that share its Redis. The claim has separate connections, so that an exhausted pool does
// not delay it. It is released after all writers have ended.
func (p *Program) claimDatabase(ctx context.Context) error {
	s := p.Settings
	db, err := storage.Open(ctx, storage.Options{URL: s.URL(), StatementTimeout: storage.RequestStatementTimeout, MaxConnections: 2})
	if err != nil {
		return err
	}
	p.claim, err = claim.Acquire(ctx, claim.Options{DB: db, Shared: s.RedisURL != "", Role: s.Role, Logger: slog.Default()})
	if err != nil {
		return errors.Join(err, db.Close())
	}
	// Closers run last first.
	p.closers = slices.Insert(p.closers, 0, func() {
		p.claim.Release()
		_ = db.Close()
	})
	return nil
}

// customerKeys returns the settings for customers' tokens; nil if there are none. Keys at a URL are
// refreshed until the program closes.
func (p *Program) customerKeys(ctx context.Context) (*callers.CustomerKeys, error) {
	s := p.Settings.Serve
	checks := callers.CustomerChecks{Issuer: s.CustomerJWTIssuer, Audience: s.CustomerJWTAudience, Tenant: s.CustomerJWTTenant}
	secret, weak, err := s.CustomerSecret()
	switch {
	case err != nil:
		return nil, err
	case secret != "":
		if weak {
			slog.WarnContext(ctx, "access: the secret of customers' tokens is short and can be guessed; use it for development only")
		}
		return callers.SharedSecret(secret).Require(checks), nil
	case s.CustomerJWKSURL != "":
		fresh, stop := context.WithCancel(context.WithoutCancel(ctx))
		p.closers = append(p.closers, stop)
		keys, err := callers.RemoteKeys(fresh, s.CustomerJWKSURL)
		if err != nil {
			return nil, err
		}
		return keys.Require(checks), nil
	}
	return nil, nil
}

// providers returns the configured providers of single sign-on. They are contacted only when a user
// signs in.
func (p *Program) providers() ([]access.Provider, error) {
	set, err := p.Settings.Providers()
	if err != nil {
		return nil, err
	}
	providers := make([]access.Provider, len(set))
	for i, one := range set {
		client := oidc.Client{Issuer: one.Issuer, ID: one.ClientID, Secret: one.ClientSecret, Scopes: one.Scopes, GroupsClaim: one.GroupsClaim}
		providers[i] = access.Provider{
			Name: one.Name, DisplayName: one.DisplayName, Tenant: one.Tenant, GroupRoles: one.GroupRoles, OIDC: oidc.New(client, clock.System{}),
		}
	}
	return providers, nil
}

// Addr returns the address that the program listens on.
func (p *Program) Addr() string { return p.listener.Addr().String() }

// OpsAddr returns the address of the operators' listener; "" if there is none.
func (p *Program) OpsAddr() string {
	if p.opsListener == nil {
		return ""
	}
	return p.opsListener.Addr().String()
}

// Services returns the domains, for tests that bypass the API.
func (p *Program) Services() *Services { return p.services }

// Routes returns the registered API routes.
func (p *Program) Routes() []httpapi.Route { return p.server.Router().Routes() }

// Router accepts additional routes after Start and before Run, for a program that measures this
// one.
func (p *Program) Router() *httpapi.Router { return p.server.Router() }

// Run serves until ctx ends, then finishes the requests in flight, for at most the shutdown
// timeout, and closes everything. Start must have succeeded. When another server claims the
// database, Run ends immediately with an error.
func (p *Program) Run(ctx context.Context) error {
	defer p.close()
	if err := p.startBackground(ctx); err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- p.server.Serve(p.listener) }()
	// The start allocates several times the memory of the running service: migrations and the hash
	// of the first password.
	debug.FreeOSMemory()
	slog.InfoContext(ctx, "serving", "addr", p.Addr(), "role", p.Settings.Role, "database", p.services.DB.URL, "version", p.Version)

	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		err = errors.Join(p.shutdown(context.WithoutCancel(ctx)), <-served)
	case <-p.claim.Lost():
		err = errors.Join(p.server.Close(), <-served)
	}
	if reason := p.claim.Reason(); reason != nil {
		// Another server has the database, so the work in progress is aborted.
		stopped, stop := context.WithCancel(ctx)
		stop()
		p.services.Background.Stop(stopped)
		return errors.Join(reason, err)
	}
	p.services.Background.Stop(context.WithoutCancel(ctx))
	return err
}

// shutdown serves until the load balancer has stopped sending, then finishes the requests in
// flight. It aborts them when another server claims the database.
func (p *Program) shutdown(ctx context.Context) error {
	delay, timeout := p.Settings.ShutdownDelay, p.Settings.ShutdownTimeout
	slog.InfoContext(ctx, "shutting down; waiting for requests in flight", "delay", delay.String(), "timeout", timeout.String())
	ctx, cancel := context.WithTimeout(ctx, delay+timeout)
	defer cancel()
	go func() {
		select {
		case <-p.claim.Lost():
			cancel()
		case <-ctx.Done():
		}
	}()
	p.server.Drain(ctx, delay)
	return p.server.Shutdown(ctx)
}

// startBackground starts the background services of the role, and the operators' listener.
func (p *Program) startBackground(ctx context.Context) error {
	list := p.services.background(p.Settings.Role)
	if p.ops != nil {
		list = append(list, background.Service{Name: "operations listener", Every: time.Minute, Run: func(ctx context.Context) error {
			defer context.AfterFunc(ctx, func() { _ = p.ops.Close() })()
			return p.ops.Serve(p.opsListener)
		}})
	}
	return p.services.Background.Start(ctx, list...)
}

func (p *Program) newServer() (*httpapi.Server, error) {
	proxies, err := p.Settings.ProxyNetworks()
	if err != nil {
		return nil, err
	}
	sv := p.services
	var certificate *httpapi.Certificate
	if p.Settings.TLSCert != "" {
		if certificate, err = httpapi.LoadCertificate(p.Settings.TLSCert, p.Settings.TLSKey); err != nil {
			return nil, err
		}
		sv.Engines.WatchCertificate("listener", certificate.End)
	}
	server := httpapi.NewServer(httpapi.Options{
		Certificate: certificate, Secure: p.Settings.Secure,
		Runner: sv.Runner, Authenticator: sv.Access.Callers, Limiter: sv.limiter,
		Rate: perSecond(p.Settings.RateLimit), TenantRate: perSecond(p.Settings.TenantRateLimit),
		RefusedRate: perSecond((p.Settings.RateLimit + 9) / 10), MaxStreams: p.Settings.MaxStreams, MaxConnections: p.Settings.MaxClients,
		TrustedProxies: proxies, Conflicts: sv.Conflicts, Refusals: sv.Refusals, Replies: sv.Idempotency, Secrets: sv.Access,
	})
	sv.Metrics.Register(server)
	if p.Settings.Role != "worker" {
		sv.routes(server.Router())
		if p.Settings.OpsAddr == "" {
			if err := httpapi.ServeGraphiQL(server); err != nil {
				return nil, err
			}
		}
		if err := httpapi.ServeProblems(server); err != nil {
			return nil, err
		}
		pages, err := web.New()
		if err != nil {
			return nil, err
		}
		server.HandlePages(pages)
	}
	readiness{sv, server}.serveProbes(server)
	operators := server
	if p.Settings.OpsAddr != "" {
		p.ops = httpapi.NewServer(httpapi.Options{Runner: sv.Runner, Authenticator: sv.Access.Callers})
		readiness{sv, server}.serveProbes(p.ops)
		operators = p.ops
	}
	operators.Handle(http.MethodGet, "/metrics", sv.Metrics.Handler())
	if p.Settings.Role == "worker" {
		return server, nil
	}
	return server, httpapi.ServeDocs(operators)
}

// perSecond returns a limit of n requests per second with a burst of 2n; n ≤ 0 means no limit.
func perSecond(n int) ratelimit.Limit {
	if n <= 0 {
		return ratelimit.Limit{}
	}
	return ratelimit.Limit{Rate: n, Period: time.Second, Burst: 2 * n}
}

func (p *Program) close() {
	for i := len(p.closers) - 1; i >= 0; i-- {
		p.closers[i]()
	}
	p.closers = nil
}

func stopWithin(stop func(context.Context) error, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := stop(ctx); err != nil {
		slog.Warn("tracing: last traces not sent", "error", err)
	}
}
