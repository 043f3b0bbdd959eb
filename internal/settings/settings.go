// Package settings defines the operator's settings, by flag or by environment (INTERLOCK_…), and
// rejects invalid ones at start.
//
// Kong reads the struct: the help of each field is in its tag. Only cmd and app import this
// package, and pass the values to the other packages.
package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"interlock/internal/base/oidc"
	"interlock/internal/base/redisconn"
	"interlock/internal/base/storage"
)

// Storage locates the data. Every command needs it.
type Storage struct {
	DataDir        string `help:"Folder of the embedded database." default:"./data" env:"INTERLOCK_DATA_DIR" placeholder:"DIR"`
	DatabaseURL    string `help:"sqlite://PATH or mysql://USER:PASSWORD@HOST:PORT/DATABASE, with ?tls=true for TLS or ?ca=FILE for TLS with private certificate authorities, ?password_file=FILE for a password that is read from a file for each connection, and ?packets=false for a proxy that accepts only one statement at a time. Default: an SQLite file in the data folder." env:"INTERLOCK_DATABASE_URL" placeholder:"URL"`
	MaxConnections int    `help:"Maximum of open connections to the database; a third is for reads." default:"48" env:"INTERLOCK_MAX_CONNECTIONS" placeholder:"N"`
	Encryption     `embed:""`
}

// Encryption contains the keys for encryption at rest.
type Encryption struct {
	EncryptionKeys     []string `help:"Keys for encrypting stored replies, the values of secret configs and the secrets of second factors at rest (AES-256-GCM), as ID:BASE64 of 32 bytes: the current key, then older keys for decryption only; none as the first entry stores new values in clear. All processes on one database need the same keys. Default of an embedded database: a key that the first start generates in a file next to it." env:"INTERLOCK_ENCRYPTION_KEYS" placeholder:"ID:BASE64,…"`
	EncryptionKeysFile string   `help:"File with these keys instead, one per line." env:"INTERLOCK_ENCRYPTION_KEYS_FILE" placeholder:"FILE"`
}

// Development allows weak secrets.
type Development struct {
	InsecureDevelopment bool `help:"Accept passwords under 12 characters and secrets under 32 bytes, with a warning in the log. For development machines only." env:"INTERLOCK_INSECURE_DEVELOPMENT"`
}

// Data contains the settings of commands that change the database.
type Data struct {
	Storage
	Development
}

// FirstAdmin configures the tenant "default", which the first start creates: its currency, and the
// password of its user admin.
type FirstAdmin struct {
	AdminPassword     string `help:"Password of the first admin, on the first start only. Unset: a random one is printed once." env:"INTERLOCK_ADMIN_PASSWORD" placeholder:"PASSWORD"`
	AdminPasswordFile string `help:"File with this password instead." env:"INTERLOCK_ADMIN_PASSWORD_FILE" placeholder:"FILE"`
	Currency          string `help:"Currency of all amounts (ISO 4217 code). The first start stores it with the data (CNY if unset); a later start with another currency fails." env:"INTERLOCK_CURRENCY" placeholder:"CODE"`
}

// Log contains the settings of logs and traces.
type Log struct {
	LogLevel     string `help:"debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"INTERLOCK_LOG_LEVEL" placeholder:"LEVEL"`
	LogFormat    string `help:"json or text." enum:"json,text" default:"json" env:"INTERLOCK_LOG_FORMAT" placeholder:"FORMAT"`
	OTLPEndpoint string `help:"Address of a collector of OpenTelemetry traces (OTLP/HTTP); without a path, traces are sent to /v1/traces. Unset: OTEL_EXPORTER_OTLP_ENDPOINT, or no traces." env:"INTERLOCK_OTLP_ENDPOINT" placeholder:"URL"`
}

// Serve contains the settings of the server.
type Serve struct {
	Addr                    string `help:"Address to listen on; port 0 selects a free one." default:"127.0.0.1:8080" env:"INTERLOCK_ADDR" placeholder:"HOST:PORT"`
	Role                    string `help:"all, api (requests only) or worker (background jobs only, with health endpoints)." enum:"all,api,worker" default:"all" env:"INTERLOCK_ROLE" placeholder:"ROLE"`
	RedisURL                string `help:"redis://[USER:PASSWORD@]HOST:PORT/N, redis+sentinel://HOST,…/MASTER/N or redis+cluster://HOST,…; rediss for TLS, ?password_file=FILE for a password from a file. Unset: everything in this process." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
	Development             `embed:""`
	FirstAdmin              `embed:""`
	CustomerJWTSecret       string        `name:"customer-jwt-secret" help:"Secret with which the shop signs its customers' tokens (JWT, HS256). Without it and without JWKS, all requests of customers are rejected." env:"INTERLOCK_CUSTOMER_JWT_SECRET" placeholder:"SECRET"`
	CustomerJWTSecretFile   string        `name:"customer-jwt-secret-file" help:"File with this secret instead." env:"INTERLOCK_CUSTOMER_JWT_SECRET_FILE" placeholder:"FILE"`
	CustomerJWKSURL         string        `name:"customer-jwks-url" help:"Address of the public keys (JWKS) that verify customers' tokens, instead of a secret." env:"INTERLOCK_CUSTOMER_JWKS_URL" placeholder:"URL"`
	CustomerJWTIssuer       string        `name:"customer-jwt-issuer" help:"Required iss of customers' tokens. Unset: not checked." env:"INTERLOCK_CUSTOMER_JWT_ISSUER" placeholder:"ISSUER"`
	CustomerJWTAudience     string        `name:"customer-jwt-audience" help:"Required aud of customers' tokens, or a member of it. Unset: not checked." env:"INTERLOCK_CUSTOMER_JWT_AUDIENCE" placeholder:"AUDIENCE"`
	CustomerJWTTenant       string        `name:"customer-jwt-tenant" help:"The only tenant of customers' tokens. Unset: the tenant that a token names." env:"INTERLOCK_CUSTOMER_JWT_TENANT" placeholder:"TENANT"`
	FlashSalePaymentTimeout time.Duration `help:"How long an order of a flash sale may stay unpaid before it is cancelled." default:"15m" env:"INTERLOCK_FLASH_SALE_PAYMENT_TIMEOUT" placeholder:"DURATION"`
	Idempotency             Idempotency   `embed:"" prefix:"idempotency-"`
	SessionLifetime         time.Duration `help:"Lifetime of a session of the web admin, whether it is used or not." default:"12h" env:"INTERLOCK_SESSION_LIFETIME" placeholder:"DURATION"`
	SessionIdle             time.Duration `help:"Time after which an unused session ends; 0 means at the end of its lifetime. An open, visible page uses it." default:"2h" env:"INTERLOCK_SESSION_IDLE" placeholder:"DURATION"`
	PublicURL               string        `name:"public-url" help:"URL of the web admin in browsers, such as https://admin.example.com, without a path; providers of single sign-on redirect to it, and passkeys are bound to its host. Unset: both work on this machine only." env:"INTERLOCK_PUBLIC_URL" placeholder:"URL"`
	OIDCProviders           string        `name:"oidc-providers" help:"Providers of single sign-on (OpenID Connect), as a JSON array of objects with name, displayName, issuer, clientId and clientSecret or clientSecretFile, and optionally scopes, tenant, groupsClaim and groupRoles." env:"INTERLOCK_OIDC_PROVIDERS" placeholder:"JSON"`
	OIDCProvidersFile       string        `name:"oidc-providers-file" help:"File with this array instead." env:"INTERLOCK_OIDC_PROVIDERS_FILE" placeholder:"FILE"`
	SignInLimit             int           `help:"Failed sign-ins per minute of one network (an IPv4 address, or 64 bits of an IPv6 one), with a burst of three times as many; 0 means no limit." default:"20" env:"INTERLOCK_SIGN_IN_LIMIT" placeholder:"N"`
	RateLimit               int           `help:"Requests per second of one user, token or customer, with a burst of twice as many, and a tenth of it for one network with rejected credentials; 0 means no limit." default:"5000" env:"INTERLOCK_RATE_LIMIT" placeholder:"N"`
	TenantRateLimit         int           `help:"Requests per second of one tenant, customers included, with a burst of twice as many; 0 means no limit." default:"50000" env:"INTERLOCK_TENANT_RATE_LIMIT" placeholder:"N"`
	MaxStreams              int           `help:"Open event streams of one user, token or customer per process; 0 means no limit." default:"100" env:"INTERLOCK_MAX_STREAMS" placeholder:"N"`
	MaxClients              int           `help:"Open connections per process, of which one network may have a quarter. Further ones wait until one ends or is idle for a second. 0 means no limit." default:"10000" env:"INTERLOCK_MAX_CLIENTS" placeholder:"N"`
	TrustedProxies          []string      `help:"Addresses and networks (CIDR) of proxies with a trusted X-Forwarded-For." env:"INTERLOCK_TRUSTED_PROXIES" placeholder:"ADDRESS,…"`
	WebhookNetworks         []string      `help:"Addresses and networks (CIDR) that are not public and may receive webhooks, also over http://. Unset: webhooks are sent to public addresses over https:// only." env:"INTERLOCK_WEBHOOK_NETWORKS" placeholder:"ADDRESS,…"`
	TLSCert                 string        `name:"tls-cert" help:"File with the TLS certificate, in PEM; reloaded when it changes. Unset: plain HTTP." env:"INTERLOCK_TLS_CERT" placeholder:"FILE"`
	TLSKey                  string        `name:"tls-key" help:"File with the certificate's key." env:"INTERLOCK_TLS_KEY" placeholder:"FILE"`
	Secure                  bool          `help:"All callers use TLS, also through a proxy without X-Forwarded-Proto: cookies are Secure, and responses have HSTS. Without it this applies to requests over TLS at this process or, by X-Forwarded-Proto, at a trusted proxy." env:"INTERLOCK_SECURE"`
	OpsAddr                 string        `help:"Address of a separate listener, plain HTTP, for /metrics, /docs, /openapi.json, /healthz and /readyz; the main listener then has only the last two of them, and no /graphiql. Unset: the main listener has all." env:"INTERLOCK_OPS_ADDR" placeholder:"HOST:PORT"`
	PromiseShare            float64       `help:"Percent of the time of one database connection for checking the promises, in one process at a time; 0 disables the checks." default:"1" env:"INTERLOCK_PROMISE_SHARE" placeholder:"PERCENT"`
	Retention               Retention     `embed:"" prefix:"retention-"`
	ShutdownDelay           time.Duration `help:"How long a stopping process still accepts requests, while /readyz returns 503 and streams are closed one after the other, so that a load balancer can stop sending requests." default:"0s" env:"INTERLOCK_SHUTDOWN_DELAY" placeholder:"DURATION"`
	ShutdownTimeout         time.Duration `help:"How long requests in flight may run at shutdown, after that delay." default:"20s" env:"INTERLOCK_SHUTDOWN_TIMEOUT" placeholder:"DURATION"`
}

// Retention is the number of days after which old rows are deleted; 0 is for ever.
type Retention struct {
	Audit   int     `help:"Days after which audit entries are deleted; 0: never." default:"0" env:"INTERLOCK_RETENTION_AUDIT" placeholder:"DAYS"`
	History int     `help:"Days after which a version of a record is deleted, once it was replaced or its record deleted; 0: never. The newest version of an existing record is retained, and so are approvals and flash sales." default:"0" env:"INTERLOCK_RETENTION_HISTORY" placeholder:"DAYS"`
	Tickets int     `help:"Days after which the tickets of a finished flash sale are deleted; 0: never. Its orders are retained." default:"0" env:"INTERLOCK_RETENTION_TICKETS" placeholder:"DAYS"`
	Share   float64 `help:"Percent of the time of one database connection for these deletions, in one process at a time." default:"5" env:"INTERLOCK_RETENTION_SHARE" placeholder:"PERCENT"`
}

// IdempotencyQuota limits the idempotency keys of a tenant.
type IdempotencyQuota struct {
	Quota int64 `help:"Maximum of stored idempotency keys of a tenant's users, and of its customers; 0 means no limit." default:"110000000" env:"INTERLOCK_IDEMPOTENCY_QUOTA" placeholder:"N"`
}

// Idempotency contains the settings of stored replies to requests with an idempotency key.
type Idempotency struct {
	Retention         time.Duration `help:"How long a reply is stored under its idempotency key. The web admin retries for up to 23 hours after a lost reply, so that less than 24h can execute a request twice." default:"24h" env:"INTERLOCK_IDEMPOTENCY_RETENTION" placeholder:"DURATION"`
	RetentionCritical time.Duration `help:"The same for operations on money and orders: wallets, stock, orders, redeemed coupons, flash sales." default:"48h" env:"INTERLOCK_IDEMPOTENCY_RETENTION_CRITICAL" placeholder:"DURATION"`
	IdempotencyQuota  `embed:""`
	CacheServerErrors bool `help:"Store replies of status 500 too, so that a retry is not executed." env:"INTERLOCK_IDEMPOTENCY_CACHE_SERVER_ERRORS"`
}

// Settings are all settings of a running program.
type Settings struct {
	Storage
	Log
	Serve
}

// Options returns the options with which a command opens the database. They do not create a
// database.
func (s Storage) Options() storage.Options {
	return storage.Options{URL: s.URL(), MaxConnections: s.MaxConnections, Existing: true}
}

// SQLitePath returns the database file in embedded mode, and false otherwise.
func (s Storage) SQLitePath() (string, bool) {
	return strings.CutPrefix(s.URL(), "sqlite://")
}

// URL returns the database's URL with the default filled in.
func (s Storage) URL() string {
	if s.DatabaseURL == "" {
		return "sqlite://" + filepath.Join(s.DataDir, "interlock.db")
	}
	return s.DatabaseURL
}

// Validate checks the storage settings; kong calls it after parsing.
func (s Storage) Validate() error {
	scheme, _, found := strings.Cut(s.URL(), "://")
	switch {
	case !found || (scheme != "sqlite" && scheme != "mysql"):
		return errors.New("--database-url (INTERLOCK_DATABASE_URL) must start with sqlite:// or mysql://")
	case s.MaxConnections < 2 || s.MaxConnections > 1000:
		return fmt.Errorf("--max-connections (INTERLOCK_MAX_CONNECTIONS) is %d; it must be from 2 to 1000", s.MaxConnections)
	}
	return nil
}

// Validate checks the log settings; kong calls it after parsing.
func (s Log) Validate() error {
	if s.OTLPEndpoint == "" {
		return nil
	}
	if u, err := url.Parse(s.OTLPEndpoint); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return errors.New("--otlp-endpoint (INTERLOCK_OTLP_ENDPOINT) must be an http:// or https:// URL")
	}
	return nil
}

// Validate checks the server settings; kong calls it after parsing.
func (s Serve) Validate() error {
	if _, _, err := net.SplitHostPort(s.Addr); err != nil {
		return fmt.Errorf("--addr (INTERLOCK_ADDR) is %q; want HOST:PORT, such as 127.0.0.1:8080", s.Addr)
	}
	if _, _, err := net.SplitHostPort(s.OpsAddr); s.OpsAddr != "" && err != nil {
		return fmt.Errorf("--ops-addr (INTERLOCK_OPS_ADDR) is %q; want HOST:PORT, such as 127.0.0.1:9090", s.OpsAddr)
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key (INTERLOCK_TLS_CERT, INTERLOCK_TLS_KEY) must both be set, or neither")
	}
	if s.RedisURL != "" {
		if _, err := redisconn.Parse(s.RedisURL); err != nil {
			return fmt.Errorf("--redis-url (INTERLOCK_REDIS_URL) is invalid: %w", err)
		}
	}
	if err := s.checkCustomers(); err != nil {
		return err
	}
	if err := s.checkPublicURL(); err != nil {
		return err
	}
	if s.Idempotency.Retention < time.Minute {
		return fmt.Errorf("--idempotency-retention (INTERLOCK_IDEMPOTENCY_RETENTION) is %s; it must be a minute or longer", s.Idempotency.Retention)
	}
	if s.Idempotency.RetentionCritical < time.Minute {
		return fmt.Errorf("--idempotency-retention-critical (INTERLOCK_IDEMPOTENCY_RETENTION_CRITICAL) is %s; it must be a minute or longer", s.Idempotency.RetentionCritical)
	}
	if s.Idempotency.Quota < 0 {
		return fmt.Errorf("--idempotency-quota (INTERLOCK_IDEMPOTENCY_QUOTA) is %d; it must be 0 or more", s.Idempotency.Quota)
	}
	if s.FlashSalePaymentTimeout <= 0 {
		return fmt.Errorf("--flash-sale-payment-timeout (INTERLOCK_FLASH_SALE_PAYMENT_TIMEOUT) is %s; it must be more than 0", s.FlashSalePaymentTimeout)
	}
	if s.SessionLifetime < time.Minute {
		return fmt.Errorf("--session-lifetime (INTERLOCK_SESSION_LIFETIME) is %s; it must be a minute or longer", s.SessionLifetime)
	}
	if s.SessionIdle != 0 && s.SessionIdle < 5*time.Minute {
		return fmt.Errorf("--session-idle (INTERLOCK_SESSION_IDLE) is %s; it must be 0 or five minutes or longer", s.SessionIdle)
	}
	if s.SignInLimit < 0 {
		return fmt.Errorf("--sign-in-limit (INTERLOCK_SIGN_IN_LIMIT) is %d; it must be 0 or more", s.SignInLimit)
	}
	if s.RateLimit < 0 {
		return fmt.Errorf("--rate-limit (INTERLOCK_RATE_LIMIT) is %d; it must be 0 or more", s.RateLimit)
	}
	if s.TenantRateLimit < 0 {
		return fmt.Errorf("--tenant-rate-limit (INTERLOCK_TENANT_RATE_LIMIT) is %d; it must be 0 or more", s.TenantRateLimit)
	}
	if s.MaxStreams < 0 {
		return fmt.Errorf("--max-streams (INTERLOCK_MAX_STREAMS) is %d; it must be 0 or more", s.MaxStreams)
	}
	if s.MaxClients < 0 {
		return fmt.Errorf("--max-clients (INTERLOCK_MAX_CLIENTS) is %d; it must be 0 or more", s.MaxClients)
	}
	if err := s.CheckCurrency(); err != nil {
		return err
	}
	if s.PromiseShare < 0 || s.PromiseShare > 100 {
		return fmt.Errorf("--promise-share (INTERLOCK_PROMISE_SHARE) is %g; it must be from 0 to 100", s.PromiseShare)
	}
	if err := s.Retention.check(); err != nil {
		return err
	}
	if s.ShutdownDelay < 0 {
		return fmt.Errorf("--shutdown-delay (INTERLOCK_SHUTDOWN_DELAY) is %s; it must be 0 or more", s.ShutdownDelay)
	}
	if s.ShutdownTimeout <= 0 {
		return fmt.Errorf("--shutdown-timeout (INTERLOCK_SHUTDOWN_TIMEOUT) is %s; it must be more than 0", s.ShutdownTimeout)
	}
	_, err := s.ProxyNetworks()
	_, other := s.PrivateReceivers()
	return errors.Join(err, other)
}

// maxDays bounds a retention, so that it fits a time.Duration.
const maxDays = 36_500

func (r Retention) check() error {
	for _, kind := range []struct {
		name string
		days int
	}{{"audit", r.Audit}, {"history", r.History}, {"tickets", r.Tickets}} {
		if kind.days < 0 || kind.days > maxDays {
			return fmt.Errorf("--retention-%s (INTERLOCK_RETENTION_%s) is %d; it must be from 0, which is for ever, to %d days", kind.name, strings.ToUpper(kind.name), kind.days, maxDays)
		}
	}
	if r.Share <= 0 || r.Share > 100 {
		return fmt.Errorf("--retention-share (INTERLOCK_RETENTION_SHARE) is %g; it must be more than 0 and at most 100", r.Share)
	}
	return nil
}

func (s Serve) checkCustomers() error {
	if s.CustomerJWKSURL == "" {
		return nil
	}
	if s.CustomerJWTSecret != "" || s.CustomerJWTSecretFile != "" {
		return errors.New("--customer-jwt-secret and --customer-jwks-url (INTERLOCK_CUSTOMER_…) are both set; choose one way to verify customers' tokens")
	}
	if !oidc.Safe(s.CustomerJWKSURL) {
		return errors.New("--customer-jwks-url (INTERLOCK_CUSTOMER_JWKS_URL) must be an https:// URL, or http:// on this machine, because modified keys could sign in any customer")
	}
	return nil
}

// ProxyNetworks returns the trusted proxies as networks; an address becomes a network that contains
// only this address.
func (s Serve) ProxyNetworks() ([]*net.IPNet, error) {
	networks := make([]*net.IPNet, 0, len(s.TrustedProxies))
	for _, text := range s.TrustedProxies {
		prefix := text
		if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
			prefix = fmt.Sprintf("%s/%d", address, address.BitLen())
		}
		_, network, err := net.ParseCIDR(prefix)
		if err != nil {
			return nil, fmt.Errorf("--trusted-proxies (INTERLOCK_TRUSTED_PROXIES) has %q; want addresses such as 10.0.0.21 or networks such as 10.0.0.0/8", text)
		}
		networks = append(networks, network)
	}
	return networks, nil
}

// PrivateReceivers returns the networks that may receive webhooks although they are not public; an
// address becomes a network that contains only this address.
func (s Serve) PrivateReceivers() ([]netip.Prefix, error) {
	networks := make([]netip.Prefix, len(s.WebhookNetworks))
	for i, text := range s.WebhookNetworks {
		network, err := netip.ParsePrefix(text)
		if address, isAddress := netip.ParseAddr(text); isAddress == nil && address.Zone() == "" {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("--webhook-networks (INTERLOCK_WEBHOOK_NETWORKS) has %q; want addresses such as 10.0.0.21 or networks such as 10.0.0.0/8", text)
		}
		networks[i] = network.Masked()
	}
	return networks, nil
}
