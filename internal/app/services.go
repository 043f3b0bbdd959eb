// Package app assembles the program: it opens the engines that the settings name, builds the
// domains on them, and serves the domains. The command and the end-to-end tests use the same
// assembly.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/access"
	"interlock/internal/access/callers"
	"interlock/internal/access/passwords"
	"interlock/internal/actions"
	"interlock/internal/aggregates"
	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/epoch"
	"interlock/internal/base/redisconn"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/config"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/edge/idempotency"
	"interlock/internal/edge/telemetry"
	"interlock/internal/events"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/inventory"
	"interlock/internal/lock"
	"interlock/internal/module"
	"interlock/internal/mq"
	"interlock/internal/orders"
	"interlock/internal/payments"
	"interlock/internal/ratelimit"
	"interlock/internal/refunds"
	"interlock/internal/returns"
	"interlock/internal/settings"
	"interlock/internal/views/audit"
	"interlock/internal/views/customers"
	"interlock/internal/views/dashboard"
	"interlock/internal/views/engines"
	"interlock/internal/views/ops"
	"interlock/internal/views/promises"
	"interlock/internal/views/realtime"
	"interlock/internal/views/reports"
	"interlock/internal/views/retention"
	"interlock/internal/views/search"
	"interlock/internal/wallets"
	"interlock/internal/webhooks"
	"interlock/internal/workorders"
)

// eventBuffer is the number of events by which a subscriber may lag before it must read again.
const eventBuffer = 256

// Services are the domains on open engines, without a server. Commands use them next to a running
// server.
type Services struct {
	DB      *storage.DB
	Epochs  *epoch.Watch
	Runner  *uow.Runner
	Clock   clock.Clock
	Metrics *telemetry.Metrics
	// Background runs the work outside requests.
	Background *background.Group

	Access *access.Service
	Audit  *audit.Log
	// Refusals counts rejected requests for the audit log.
	Refusals *audit.Refusals
	Configs  *config.Service
	// Approvals stores changes of protected resources until they are approved.
	Approvals  *approvals.Service
	Catalog    *catalog.Service
	Payments   *payments.Service
	Orders     *orders.Service
	Refunds    *refunds.Service
	Returns    *returns.Service
	WorkOrders *workorders.Service
	Webhooks   *webhooks.Service
	Coupons    *coupons.Service
	Actions    *actions.Service

	Idempotency *idempotency.ReplyStore
	Inventory   *inventory.Service
	Wallets     *wallets.Service
	Ledger      *aggregates.Service

	FlashSales *flashsale.Service

	Realtime  *realtime.Service
	Search    *search.Service
	Dashboard *dashboard.Service
	Reports   *reports.Service
	Conflicts *dashboard.ConflictLog
	Queues    *ops.Service
	Engines   *engines.Monitor
	Promises  *promises.Service
	Retention *retention.Service
	Customers *customers.Service

	// numbering measures how far the logs have positions.
	numbering *numbering

	redis redis.UniversalClient // nil in embedded mode
	// redisCertificate returns when the certificate of Redis expires; nil without Redis.
	redisCertificate func() time.Time
	bus              events.Bus
	limiter          ratelimit.Limiter
	locks            lock.Locker
	broker           mq.Broker
	gate             gate.Gate
	closers          []func()
	// cipher encrypts values at rest.
	cipher encryption.Cipher
	// lostKeys are the ids of missing keys that encrypt values in the database.
	lostKeys []string
}

// Options are the settings of a server in addition to its storage; commands use few of them.
type Options struct {
	// RedisURL is "" for a single process.
	RedisURL string
	// Customers is nil if customers may not call.
	Customers   *callers.CustomerKeys
	Idempotency settings.Idempotency
	// PaymentTimeout is the time to pay an order of a flash sale; 0 means 15 minutes.
	PaymentTimeout time.Duration
	// SessionLifetime and SessionIdle limit sessions; 0 means the defaults of package access.
	SessionLifetime, SessionIdle time.Duration
	// Providers are the single sign-on providers; PublicURL is the address to which they redirect
	// browsers.
	Providers []access.Provider
	PublicURL string
	// SignInRate is the maximum number of sign-ins per minute from one network; 0 means no limit.
	SignInRate int
	// PromiseShare is the maximum part of one connection's time for checking the promises.
	PromiseShare float64
	// WebhookNetworks are the networks with addresses that are not public and may receive messages of
	// webhooks.
	WebhookNetworks []netip.Prefix
	// Retention is the number of days for which old rows are stored.
	Retention settings.Retention
	// Create is set by the serving process: it creates a missing embedded database, migrates its
	// schema, and bounds statements by the patience of requests.
	Create bool
	// WithoutKeys opens the services also without the encryption keys, for callers that read no
	// encrypted value.
	WithoutKeys bool
	// WeakPasswords accepts short passwords, for development.
	WeakPasswords bool
	// HashCost is the cost of password hashes; zero means the OWASP recommendation.
	HashCost passwords.Cost
	// Clock is nil for the system clock.
	Clock clock.Clock
}

// Open opens the engines and builds the domains on them. Errors: storage.ErrNoDatabase, ErrSchema.
func Open(ctx context.Context, s settings.Storage, o Options) (*Services, error) {
	now := cmp.Or[clock.Clock](o.Clock, clock.System{})
	stored := s.Options()
	stored.Clock, stored.Existing = now, !o.Create
	if o.Create {
		stored.StatementTimeout = storage.RequestStatementTimeout
	}
	db, err := storage.Open(ctx, stored)
	if err != nil {
		return nil, err
	}
	sv := &Services{DB: db, Clock: now, Metrics: telemetry.NewMetrics(), Background: background.NewGroup(now)}
	sv.Epochs, sv.numbering = epoch.NewWatch(db, sv.Clock), newNumbering(sv.Clock)
	sv.closers = append(sv.closers, func() { _ = db.Close() })
	if err := sv.prepareSchema(ctx, o.Create); err != nil {
		sv.Close()
		return nil, err
	}
	if err := sv.openPorts(ctx, o.RedisURL); err != nil {
		sv.Close()
		return nil, err
	}
	sv.Runner = uow.NewRunner(uow.Options{DB: db, Locks: sv.locks, Clock: sv.Clock, Observer: sv.Metrics})
	cipher, err := sv.openCipher(ctx, s, !o.WithoutKeys)
	if err != nil {
		sv.Close()
		return nil, err
	}
	sv.cipher = cipher
	sv.buildReplyStore(o.Idempotency, cipher)
	sv.buildDomains(o, cipher)
	sv.Metrics.Register(sv.Epochs, telemetry.Pools(db.Pools()), telemetry.Queues{Broker: sv.broker}, sv.Idempotency, sv.Ledger, sv.Approvals, sv.numbering, sv.Engines, sv.Promises, sv.Retention, sv.Background)
	return sv, nil
}

// ErrSchema reports that the schema of a database is older than the program.
var ErrSchema = errors.New("the database's schema is older than this program: run `admin migrate up` first")

func (sv *Services) prepareSchema(ctx context.Context, create bool) error {
	if create && sv.DB.Dialect == storage.SQLite {
		_, err := sv.DB.Migrate(ctx)
		return err
	}
	state, err := sv.DB.MigrationState(ctx)
	switch {
	case err != nil:
		return err
	case !state.UpToDate():
		return fmt.Errorf("%w (it is at %d, this program needs %d)", ErrSchema, state.Current, state.Target)
	case create:
		return sv.DB.CheckSplitting(ctx)
	}
	return nil
}

// openPorts selects the implementation of each port: Redis if it is configured, otherwise in
// process.
func (sv *Services) openPorts(ctx context.Context, redisURL string) error {
	if redisURL == "" {
		sv.locks = lock.NewInProcess(sv.Metrics.LockObserver())
		queues := mq.NewSQL(sv.DB, sv.Clock, mq.Options{Observer: sv.Metrics.QueueObserver()})
		sv.broker, sv.gate = queues, gate.NewSQL(sv.DB, queues, sv.Clock)
		bus := events.NewInProcess(eventBuffer)
		sv.bus, sv.limiter = bus, ratelimit.NewInProcess(sv.Clock.Now)
		sv.closers = append(sv.closers, bus.Close)
		return nil
	}
	target, err := redisconn.Parse(redisURL)
	if err != nil {
		return fmt.Errorf("the Redis URL cannot be used: %w", err)
	}
	client := target.Connect()
	sv.redis, sv.redisCertificate = client, target.CertificateEnd
	sv.closers = append(sv.closers, func() { _ = client.Close() })
	bus, err := events.NewRedis(ctx, client, events.RedisOptions{
		Prefix: target.Channels("events"), Buffer: eventBuffer, Logger: slog.Default(),
	})
	if err != nil {
		return fmt.Errorf("reach Redis at %s: %w", target, err)
	}
	sv.bus = bus
	sv.limiter = ratelimit.NewSparing(ratelimit.NewInProcess(sv.Clock.Now), ratelimit.NewRedis(client, target.Keys("rate")))
	sv.closers = append(sv.closers, bus.Close)
	locks := lock.NewRedis(client, lock.RedisOptions{
		Prefix: target.Keys("lock"), Channels: target.Channels("lock"),
		Observer: sv.Metrics.LockObserver(), Logger: slog.Default(),
	})
	sv.locks = locks
	sv.closers = append(sv.closers, locks.Close)
	queues := mq.NewRedis(client, target.Keys("mq"), mq.Options{Observer: sv.Metrics.QueueObserver(), Clock: sv.Clock})
	sv.broker, sv.gate = queues, gate.NewRedis(client, queues, nil)
	return nil
}

// buildReplyStore builds the store of replies under idempotency keys.
func (sv *Services) buildReplyStore(s settings.Idempotency, cipher encryption.Cipher) {
	sv.Idempotency = idempotency.New(idempotency.Deps{
		DB: sv.DB, Locks: sv.locks, Clock: sv.Clock, Epochs: sv.Epochs, Cipher: cipher,
		Retention: s.Retention, CriticalRetention: s.RetentionCritical, Quota: s.Quota, StoreServerErrors: s.CacheServerErrors,
	})
}

func (sv *Services) buildDomains(o Options, cipher encryption.Cipher) {
	sv.Audit = audit.NewLog(sv.DB)
	sv.Refusals = audit.NewRefusals(sv.Runner, sv.Clock, func(ctx context.Context, name string) (int64, error) { return sv.Access.Tenants.ID(ctx, name) })
	sv.Access = access.New(access.Deps{
		Refusals: sv.Refusals.CountRefusal,
		DB:       sv.DB, Runner: sv.Runner, Clock: sv.Clock, Bus: sv.bus, Domains: Declarations(), Customers: o.Customers, CustomerMay: actions.CustomerPermissions,
		WeakPasswords: o.WeakPasswords, HashCost: o.HashCost, SessionLifetime: o.SessionLifetime, SessionIdle: o.SessionIdle, Cipher: cipher, SignInRate: o.SignInRate,
		Providers: o.Providers, PublicURL: o.PublicURL, ReadyRoles: true,
	})
	sv.Approvals = approvals.New(approvals.Deps{DB: sv.DB, Runner: sv.Runner, Bus: sv.bus, Clock: sv.Clock, Tenancy: tenancyOfApprovals{sv.Access.Users, sv.Access.Settings}, Cipher: cipher})
	sv.Access.Settings.Offer(sv.Approvals)
	sv.Configs = config.New(config.Deps{DB: sv.DB, Bus: sv.bus, Clock: sv.Clock, Epochs: sv.Epochs, Approvals: sv.Approvals, Cipher: cipher})
	sv.Catalog = catalog.New(catalog.Deps{DB: sv.DB, Bus: sv.bus, InUse: []catalog.InUse{orders.ItemInUse, inventory.ItemInUse}})
	sv.Inventory = inventory.New(inventory.Deps{DB: sv.DB, Bus: sv.bus, Items: sv.Catalog})
	sv.Wallets = wallets.New(wallets.Deps{DB: sv.DB, Bus: sv.bus, Clock: sv.Clock, Approvals: sv.Approvals})
	sv.WorkOrders = workorders.New(workorders.Deps{DB: sv.DB, Bus: sv.bus, People: sv.Access.Users})
	sv.Ledger = aggregates.New(aggregates.Deps{DB: sv.DB, Bus: sv.bus})
	sv.Coupons = coupons.New(coupons.Deps{DB: sv.DB, Runner: sv.Runner, Bus: sv.bus, Clock: sv.Clock, OrderOwner: orders.OwnerOf})
	sv.Actions = actions.New(actions.Deps{DB: sv.DB, Clock: sv.Clock, Items: sv.Catalog, Coupons: sv.Coupons})
	sv.Payments = payments.New(payments.Deps{DB: sv.DB, Bus: sv.bus, Approvals: sv.Approvals})
	sv.Orders = orders.New(orders.Deps{
		DB: sv.DB, Runner: sv.Runner, Bus: sv.bus,
		Catalog: sv.Catalog, Coupons: sv.Coupons, Stock: sv.Inventory, Wallets: sv.Wallets, Payments: sv.Payments, Sales: salesOfOrders{sv}, Refunds: refundsOfOrders{sv}, Deadlines: sv.Access.Settings,
	})
	sv.Refunds = refunds.New(refunds.Deps{DB: sv.DB, Bus: sv.bus, Approvals: sv.Approvals, Orders: sv.Orders, Stock: sv.Inventory, Wallets: sv.Wallets})
	sv.Returns = returns.New(returns.Deps{DB: sv.DB, Bus: sv.bus, Orders: sv.Orders, Refunds: sv.Refunds, Stock: sv.Inventory})
	sv.FlashSales = flashsale.New(flashsale.Deps{
		DB: sv.DB, Runner: sv.Runner, Bus: sv.bus, Clock: sv.Clock, Gate: sv.gate, Queues: sv.broker,
		Items: sv.Catalog, Inventory: sv.Inventory, Orders: sv.Orders, Approvals: sv.Approvals, PaymentTimeout: o.PaymentTimeout,
	})
	sv.Webhooks = webhooks.New(webhooks.Deps{
		DB: sv.DB, Runner: sv.Runner, Bus: sv.bus, Locks: sv.locks, Clock: sv.Clock, Cipher: cipher,
		Topics: topicPermissions, Records: &recordsOfWebhooks{services: sv}, Networks: o.WebhookNetworks,
	})
	sv.Metrics.Register(sv.FlashSales, sv.Webhooks)
	sv.Queues = ops.New(ops.Deps{
		Broker: sv.broker, Locks: sv.locks, Owned: []ops.Owned{sv.FlashSales.Queues},
	})
	sv.Promises = promises.New(promises.Deps{
		DB: sv.DB, Runner: sv.Runner, Locks: sv.locks, Bus: sv.bus, Clock: sv.Clock, Promises: Promises(), Gates: sv.checkGates, Replies: sv.Idempotency, SelfApproval: sv.Access.Settings, Share: o.PromiseShare,
	})
	sv.Retention = retention.New(retention.Deps{
		DB: sv.DB, Runner: sv.Runner, Locks: sv.locks, Clock: sv.Clock, Tables: Tables(), Share: o.Retention.Share / 100,
		Keep: map[module.Retention]time.Duration{module.AuditRows: days(o.Retention.Audit), module.HistoryRows: days(o.Retention.History), module.TicketRows: days(o.Retention.Tickets)},
	})
	sv.Customers = customers.New(customers.Deps{DB: sv.DB, Tables: Tables(), Runner: sv.Runner, Replies: sv.Idempotency, Clock: sv.Clock, LockWallets: sv.Wallets.Lock})
	sv.Engines = engines.NewMonitor(engines.Probe{DB: sv.DB, Redis: sv.redis, RedisCertificate: sv.redisCertificate, Clock: sv.Clock}, slog.Default())
	sv.buildOverviews()
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// Close closes the resources of Open in reverse order.
func (sv *Services) Close() {
	for _, closer := range slices.Backward(sv.closers) {
		closer()
	}
	sv.closers = nil
}

// MakeFirstAdmin creates the tenant "default" with the user admin in an empty database. The
// password comes from the settings; otherwise a random one is generated and returned. On existing
// data it checks the currency. Errors: access.ErrOtherCurrency.
func (sv *Services) MakeFirstAdmin(ctx context.Context, s settings.FirstAdmin) (generated string, err error) {
	if err := s.CheckCurrency(); err != nil {
		return "", err
	}
	password, err := s.Password()
	if err != nil {
		return "", err
	}
	generated, err = sv.Access.Bootstrap(ctx, password, s.Currency)
	var rule *apperr.Error
	switch {
	case errors.As(err, &rule) && rule.Code == apperr.ValidationFailed && len(rule.Fields) > 0:
		return "", settings.WeakPassword(rule.Fields[0].Message)
	case errors.Is(err, access.ErrOtherCurrency):
		return "", err
	case err != nil:
		return "", fmt.Errorf("create the first admin: %w", err)
	}
	return generated, nil
}
