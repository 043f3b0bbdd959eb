// Package settings holds what an operator can set, by flag or by environment
// (INTERLOCK_…), and refuses at start what cannot work.
//
// The struct is read by kong: each field's help is its tag. Only cmd and app
// import this package; everything else gets the values it needs.
package settings

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/text/currency"

	"interlock/internal/base/oidc"
	"interlock/internal/base/redisconn"
	"interlock/internal/base/storage"
)

// Storage says where the data is. Every command needs it.
type Storage struct {
	DataDir        string `help:"Folder of the embedded database." default:"./data" env:"INTERLOCK_DATA_DIR" placeholder:"DIR"`
	DatabaseURL    string `help:"sqlite://PATH or mysql://USER:PASSWORD@HOST:PORT/DATABASE, with ?tls=true for TLS or ?ca=FILE for TLS with certificate authorities of your own, ?password_file=FILE for a password that is read from a file for each connection, and ?packets=false for a proxy that takes one statement at a time. Default: an SQLite file in the data folder." env:"INTERLOCK_DATABASE_URL" placeholder:"URL"`
	MaxConnections int    `help:"Most connections to the database at once; a third is for reads." default:"48" env:"INTERLOCK_MAX_CONNECTIONS" placeholder:"N"`
	Encryption     `embed:""`
}

// Encryption says which keys what is at rest is encrypted with.
type Encryption struct {
	EncryptionKeys     []string `help:"Keys that kept replies, the values of secret configs and the secrets of second factors are encrypted with at rest (AES-256-GCM), as ID:BASE64 of 32 bytes: the current one, then older ones that still decrypt what they encrypted; none in the first place keeps new ones in clear. Every process on one database needs the same. Default of an embedded database: a key that the first start makes, in a file beside it." env:"INTERLOCK_ENCRYPTION_KEYS" placeholder:"ID:BASE64,…"`
	EncryptionKeysFile string   `help:"File that has these keys instead, one in a line." env:"INTERLOCK_ENCRYPTION_KEYS_FILE" placeholder:"FILE"`
}

// Development lifts what keeps weak secrets out.
type Development struct {
	InsecureDevelopment bool `help:"Take passwords under 12 characters and secrets under 32 bytes, with a warning in the log. For a machine of your own." env:"INTERLOCK_INSECURE_DEVELOPMENT"`
}

// Data is what a command needs that changes what is in the database.
type Data struct {
	Storage
	Development
}

// FirstAdmin is the password of the user admin, which is made on empty data.
type FirstAdmin struct {
	AdminPassword     string `help:"Password of the first admin, on the first start only. Unset: a random one is printed once." env:"INTERLOCK_ADMIN_PASSWORD" placeholder:"PASSWORD"`
	AdminPasswordFile string `help:"File that has this password instead." env:"INTERLOCK_ADMIN_PASSWORD_FILE" placeholder:"FILE"`
}

// Log says how the program reports.
type Log struct {
	LogLevel     string `help:"debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"INTERLOCK_LOG_LEVEL" placeholder:"LEVEL"`
	LogFormat    string `help:"json or text." enum:"json,text" default:"json" env:"INTERLOCK_LOG_FORMAT" placeholder:"FORMAT"`
	OTLPEndpoint string `help:"Address of a collector of OpenTelemetry traces (OTLP/HTTP); without a path, traces go to /v1/traces there. Unset: that of OTEL_EXPORTER_OTLP_ENDPOINT, or no traces." env:"INTERLOCK_OTLP_ENDPOINT" placeholder:"URL"`
}

// Serve is what the server needs.
type Serve struct {
	Addr                    string `help:"Address to listen on; port 0 takes a free one." default:"127.0.0.1:8080" env:"INTERLOCK_ADDR" placeholder:"HOST:PORT"`
	Role                    string `help:"all, api (requests only) or worker (background jobs only, with health endpoints)." enum:"all,api,worker" default:"all" env:"INTERLOCK_ROLE" placeholder:"ROLE"`
	RedisURL                string `help:"redis://[USER:PASSWORD@]HOST:PORT/N, redis+sentinel://HOST,…/MASTER/N or redis+cluster://HOST,…; rediss for TLS, ?password_file=FILE for a password from a file. Unset: everything in this process." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
	Development             `embed:""`
	FirstAdmin              `embed:""`
	CustomerJWTSecret       string        `name:"customer-jwt-secret" help:"Secret with which the shop signs its customers' tokens (JWT, HS256). Unset, and no JWKS: no customer may call." env:"INTERLOCK_CUSTOMER_JWT_SECRET" placeholder:"SECRET"`
	CustomerJWTSecretFile   string        `name:"customer-jwt-secret-file" help:"File that has this secret instead." env:"INTERLOCK_CUSTOMER_JWT_SECRET_FILE" placeholder:"FILE"`
	CustomerJWKSURL         string        `name:"customer-jwks-url" help:"Address of the public keys (JWKS) that verify customers' tokens, instead of a secret." env:"INTERLOCK_CUSTOMER_JWKS_URL" placeholder:"URL"`
	CustomerJWTIssuer       string        `name:"customer-jwt-issuer" help:"What the iss of customers' tokens must be. Unset: it is not looked at." env:"INTERLOCK_CUSTOMER_JWT_ISSUER" placeholder:"ISSUER"`
	CustomerJWTAudience     string        `name:"customer-jwt-audience" help:"What the aud of customers' tokens must be or contain. Unset: it is not looked at." env:"INTERLOCK_CUSTOMER_JWT_AUDIENCE" placeholder:"AUDIENCE"`
	CustomerJWTTenant       string        `name:"customer-jwt-tenant" help:"The only tenant whose customers the key signs for. Unset: whichever a token names." env:"INTERLOCK_CUSTOMER_JWT_TENANT" placeholder:"TENANT"`
	FlashSalePaymentTimeout time.Duration `help:"How long an order of a flash sale may stay unpaid before it is cancelled." default:"15m" env:"INTERLOCK_FLASH_SALE_PAYMENT_TIMEOUT" placeholder:"DURATION"`
	Idempotency             Idempotency   `embed:"" prefix:"idempotency-"`
	SessionLifetime         time.Duration `help:"When a session of the web admin ends, whatever is done in it." default:"12h" env:"INTERLOCK_SESSION_LIFETIME" placeholder:"DURATION"`
	SessionIdle             time.Duration `help:"When a session ends that nobody uses; 0 means not before its lifetime is over. A page that is open and in view uses it." default:"2h" env:"INTERLOCK_SESSION_IDLE" placeholder:"DURATION"`
	PublicURL               string        `name:"public-url" help:"Address at which browsers reach the web admin, such as https://admin.example.com, without a path; providers of single sign-on send them back to it, and passkeys are for its host. Unset: both work on this machine only." env:"INTERLOCK_PUBLIC_URL" placeholder:"URL"`
	OIDCProviders           string        `name:"oidc-providers" help:"Providers of single sign-on (OpenID Connect), as a JSON array of objects with name, displayName, issuer, clientId and clientSecret or clientSecretFile, and if need be scopes, tenant, groupsClaim and groupRoles." env:"INTERLOCK_OIDC_PROVIDERS" placeholder:"JSON"`
	OIDCProvidersFile       string        `name:"oidc-providers-file" help:"File that has this array instead." env:"INTERLOCK_OIDC_PROVIDERS_FILE" placeholder:"FILE"`
	SignInLimit             int           `help:"Sign-ins a minute that one network (an IPv4 address, or 64 bits of an IPv6 one) may try in vain, and three times as many at once; 0 means no limit." default:"20" env:"INTERLOCK_SIGN_IN_LIMIT" placeholder:"N"`
	RateLimit               int           `help:"Requests a second that one user, token or customer may send, twice as many at once, and a tenth of it from one network with credentials that are refused; 0 means no limit." default:"5000" env:"INTERLOCK_RATE_LIMIT" placeholder:"N"`
	TenantRateLimit         int           `help:"Requests a second that all of a tenant may send together, its customers too, and twice as many at once; 0 means no limit." default:"50000" env:"INTERLOCK_TENANT_RATE_LIMIT" placeholder:"N"`
	MaxStreams              int           `help:"Event streams that one user, token or customer may have open at a process; 0 means any number." default:"100" env:"INTERLOCK_MAX_STREAMS" placeholder:"N"`
	MaxClients              int           `help:"Connections that a process takes at once, of which one network may have a quarter. More wait until one ends or is idle for a second. 0 means any number." default:"10000" env:"INTERLOCK_MAX_CLIENTS" placeholder:"N"`
	TrustedProxies          []string      `help:"Networks (CIDR) whose X-Forwarded-For is believed." env:"INTERLOCK_TRUSTED_PROXIES" placeholder:"CIDR,…"`
	TLSCert                 string        `name:"tls-cert" help:"File with the certificate, in PEM, to speak TLS with; read again when it changes. Unset: plain HTTP." env:"INTERLOCK_TLS_CERT" placeholder:"FILE"`
	TLSKey                  string        `name:"tls-key" help:"File with the certificate's key." env:"INTERLOCK_TLS_KEY" placeholder:"FILE"`
	Secure                  bool          `help:"Callers come over TLS, through a proxy that may not say so: cookies are for TLS only, and browsers are told to use nothing else (HSTS). Without it that is so for requests that came over TLS here or, by X-Forwarded-Proto, at a trusted proxy." env:"INTERLOCK_SECURE"`
	OpsAddr                 string        `help:"Address of a listener of its own, plain HTTP, for /metrics, /docs and /openapi.json, with /healthz and /readyz; the main one then has none of them but the last two, and no /graphiql. Unset: all are at the main one." env:"INTERLOCK_OPS_ADDR" placeholder:"HOST:PORT"`
	Currency                string        `help:"What all money is in, by its code in ISO 4217; amounts are in its minor units." default:"CNY" env:"INTERLOCK_CURRENCY" placeholder:"CODE"`
	PromiseShare            float64       `help:"Percent of the time of one database connection that the service may use to look whether its promises hold, in one process at a time; 0 means that it does not look." default:"1" env:"INTERLOCK_PROMISE_SHARE" placeholder:"PERCENT"`
	Retention               Retention     `embed:"" prefix:"retention-"`
	ShutdownDelay           time.Duration `help:"How long a process that is asked to end still takes requests, while /readyz says 503 and streams end one after the other: until a load balancer has noticed and sends it nothing more." default:"0s" env:"INTERLOCK_SHUTDOWN_DELAY" placeholder:"DURATION"`
	ShutdownTimeout         time.Duration `help:"How long requests in flight may take to finish at shutdown, after that delay." default:"20s" env:"INTERLOCK_SHUTDOWN_TIMEOUT" placeholder:"DURATION"`
}

// Retention says for how many days rows are kept that nothing needs but who looks back; 0 is for
// ever.
type Retention struct {
	Audit   int     `help:"Days that audit entries are kept; 0 is for ever." default:"0" env:"INTERLOCK_RETENTION_AUDIT" placeholder:"DAYS"`
	History int     `help:"Days that a version of a record is kept after it was replaced, or the record deleted; 0 is for ever. The newest version of what exists stays, and so do approvals and flash sales." default:"0" env:"INTERLOCK_RETENTION_HISTORY" placeholder:"DAYS"`
	Tickets int     `help:"Days that the tickets of a flash sale are kept after it has finished; 0 is for ever. Its orders stay." default:"0" env:"INTERLOCK_RETENTION_TICKETS" placeholder:"DAYS"`
	Share   float64 `help:"Percent of the time of one database connection that removing them may take, in one process at a time." default:"5" env:"INTERLOCK_RETENTION_SHARE" placeholder:"PERCENT"`
}

// Idempotency says how the replies to requests with an idempotency key are kept.
type Idempotency struct {
	Retention         time.Duration `help:"How long a reply is kept under its idempotency key. The web admin asks again for up to 23 hours after a lost reply, so that less than 24h can double what it sent." default:"24h" env:"INTERLOCK_IDEMPOTENCY_RETENTION" placeholder:"DURATION"`
	RetentionCritical time.Duration `help:"The same for operations on money and orders: wallets, stock, orders, redeemed coupons, flash sales." default:"48h" env:"INTERLOCK_IDEMPOTENCY_RETENTION_CRITICAL" placeholder:"DURATION"`
	Quota             int64         `help:"How many idempotency keys a tenant's users may have at a time, and its customers as many; 0 means any number." default:"110000000" env:"INTERLOCK_IDEMPOTENCY_QUOTA" placeholder:"N"`
	CacheServerErrors bool          `help:"Keep replies of status 500 too, so that a repeat is not run." env:"INTERLOCK_IDEMPOTENCY_CACHE_SERVER_ERRORS"`
}

// Settings are all of them: what a running program has.
type Settings struct {
	Storage
	Log
	Serve
}

// Options are what a command opens the database with. They do not create one.
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

// Validate is called by kong after parsing.
func (s Storage) Validate() error {
	scheme, _, found := strings.Cut(s.URL(), "://")
	switch {
	case !found || (scheme != "sqlite" && scheme != "mysql"):
		return errors.New("--database-url (INTERLOCK_DATABASE_URL) must begin with sqlite:// or mysql://")
	case s.MaxConnections < 2 || s.MaxConnections > 1000:
		return fmt.Errorf("--max-connections (INTERLOCK_MAX_CONNECTIONS) is %d; it must be from 2 to 1000", s.MaxConnections)
	}
	return nil
}

// Validate is called by kong after parsing.
func (s Log) Validate() error {
	if s.OTLPEndpoint == "" {
		return nil
	}
	if u, err := url.Parse(s.OTLPEndpoint); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return errors.New("--otlp-endpoint (INTERLOCK_OTLP_ENDPOINT) must be an http:// or https:// address")
	}
	return nil
}

// Validate is called by kong after parsing.
func (s Serve) Validate() error {
	if _, _, err := net.SplitHostPort(s.Addr); err != nil {
		return fmt.Errorf("--addr (INTERLOCK_ADDR) is %q; want HOST:PORT, such as 127.0.0.1:8080", s.Addr)
	}
	if _, _, err := net.SplitHostPort(s.OpsAddr); s.OpsAddr != "" && err != nil {
		return fmt.Errorf("--ops-addr (INTERLOCK_OPS_ADDR) is %q; want HOST:PORT, such as 127.0.0.1:9090", s.OpsAddr)
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key (INTERLOCK_TLS_CERT, INTERLOCK_TLS_KEY) need each other; one of them is not set")
	}
	if s.RedisURL != "" {
		if _, err := redisconn.Parse(s.RedisURL); err != nil {
			return fmt.Errorf("--redis-url (INTERLOCK_REDIS_URL) cannot be used: %w", err)
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
		return fmt.Errorf("--flash-sale-payment-timeout (INTERLOCK_FLASH_SALE_PAYMENT_TIMEOUT) is %s; it must be longer than nothing", s.FlashSalePaymentTimeout)
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
	if unit, err := currency.ParseISO(s.Currency); err != nil || unit.String() != s.Currency {
		return fmt.Errorf("--currency (INTERLOCK_CURRENCY) is %q; want a code of ISO 4217 in capitals, such as CNY or EUR", s.Currency)
	}
	if s.PromiseShare < 0 || s.PromiseShare > 100 {
		return fmt.Errorf("--promise-share (INTERLOCK_PROMISE_SHARE) is %g; it must be from 0 to 100", s.PromiseShare)
	}
	if err := s.Retention.check(); err != nil {
		return err
	}
	if s.ShutdownDelay < 0 {
		return fmt.Errorf("--shutdown-delay (INTERLOCK_SHUTDOWN_DELAY) is %s; it must not be less than nothing", s.ShutdownDelay)
	}
	if s.ShutdownTimeout <= 0 {
		return fmt.Errorf("--shutdown-timeout (INTERLOCK_SHUTDOWN_TIMEOUT) is %s; it must be longer than nothing", s.ShutdownTimeout)
	}
	_, err := s.ProxyNetworks()
	return err
}

// mostDays bounds a retention, so that it fits a time.Duration.
const mostDays = 36_500

func (r Retention) check() error {
	for _, kind := range []struct {
		name string
		days int
	}{{"audit", r.Audit}, {"history", r.History}, {"tickets", r.Tickets}} {
		if kind.days < 0 || kind.days > mostDays {
			return fmt.Errorf("--retention-%s (INTERLOCK_RETENTION_%s) is %d; it must be from 0, which is for ever, to %d days", kind.name, strings.ToUpper(kind.name), kind.days, mostDays)
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
		return errors.New("--customer-jwks-url (INTERLOCK_CUSTOMER_JWKS_URL) must be an https:// address, or http:// on this machine: who can change the keys on their way could sign in as every customer")
	}
	return nil
}

// ProxyNetworks returns the trusted proxies as networks.
func (s Serve) ProxyNetworks() ([]*net.IPNet, error) {
	networks := make([]*net.IPNet, 0, len(s.TrustedProxies))
	for _, text := range s.TrustedProxies {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return nil, fmt.Errorf("--trusted-proxies (INTERLOCK_TRUSTED_PROXIES) has %q; want networks such as 10.0.0.0/8", text)
		}
		networks = append(networks, network)
	}
	return networks, nil
}
