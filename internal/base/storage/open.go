package storage

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	gomysql "github.com/go-sql-driver/mysql"
	"gorm.io/driver/mysql"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	modernc "modernc.org/sqlite"

	"interlock/internal/base/clock"
)

// Dialect names a family of engines.
type Dialect string

// The dialects. MySQL stands for MySQL, MariaDB and what speaks like them.
const (
	SQLite Dialect = "sqlite"
	MySQL  Dialect = "mysql"
)

// Time-outs of a MySQL connection. ioTimeout bounds every statement and COMMIT,
// so that a half-open link ends as an error and not as a hanging request.
const (
	dialTimeout     = 3 * time.Second
	ioTimeout       = 30 * time.Second
	lockWaitTimeout = 5 * time.Second
	connMaxLifetime = 30 * time.Minute
	// connMaxIdleTime is after how long a connection to a server is closed that nobody needed:
	// what a burst opened, the other replicas may need.
	connMaxIdleTime = 30 * time.Second
)

// Options say which database to open.
type Options struct {
	// URL is sqlite://path or mysql://user:password@host:port/database.
	URL string
	// MaxConnections bounds the connections; 0 means 48. A third of them is for
	// reads. SQLite has one writer and this many readers.
	MaxConnections int
	// MaxIdleTime is after how long an unused connection to a server is closed; 0 means 30
	// seconds.
	MaxIdleTime time.Duration
	// Clock stamps what GORM stamps; nil means the system clock.
	Clock clock.Clock
}

// DB is an open database: where to read, and where a unit begins to write.
type DB struct {
	Dialect Dialect
	// URL is the address without its password, for logs and messages.
	URL string

	write   *gorm.DB
	read    *gorm.DB
	indexes uniqueIndexes
	links   atomic.Uint64
	// groups is SQLite's writer; nil on MySQL.
	groups *groupCommit
}

// Open opens the database and asks it one question, so that a wrong address or
// password is known at once. It does not migrate.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.MaxConnections == 0 {
		o.MaxConnections = 48
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	scheme, _, _ := strings.Cut(o.URL, "://")
	switch Dialect(scheme) {
	case SQLite:
		return openSQLite(ctx, o)
	case MySQL:
		return openMySQL(ctx, o)
	default:
		return nil, fmt.Errorf("database URL %q: the scheme must be sqlite:// or mysql://", redact(o.URL))
	}
}

func openSQLite(ctx context.Context, o Options) (*DB, error) {
	path := strings.TrimPrefix(o.URL, "sqlite://")
	if path == "" || strings.ContainsAny(path, "?#") {
		return nil, fmt.Errorf("database URL %q: want sqlite:// and a file path without options", o.URL)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	if err := createPrivate(path); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	// WAL with synchronous=FULL: an acknowledged write survives a crash of the
	// machine. The busy timeout serves other processes (commands beside serve).
	const common = "?_time_format=sqlite&_timezone=UTC&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	db := &DB{Dialect: SQLite, URL: o.URL}
	connector, err := modernc.NewConnector("file:" + path + common)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.groups = &groupCommit{connector: connector, opened: &db.links, life: groupLife, clock: o.Clock}
	writer := pool(db.groups, writerLinks)
	// One of these connections stays open at all times. So the writer's is never the last,
	// whose end would have the next one recover the write-ahead log while we run.
	connector, err = modernc.NewConnector("file:" + path + common + "&_pragma=query_only(1)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	reader := pool(sessions{Connector: connector, opened: &db.links}, o.MaxConnections)

	if err := writer.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if db.write, err = db.gorm(sqlite.Dialector{Conn: writer}, o.Clock); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if db.read, err = db.gorm(sqlite.Dialector{Conn: reader}, o.Clock); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return db, nil
}

// createPrivate creates the file for its owner only, unless it is there. SQLite would
// let everybody read it; the log and the index beside it get the file's mode.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

func openMySQL(ctx context.Context, o Options) (*DB, error) {
	config, err := mysqlConfig(o.URL)
	if err != nil {
		return nil, err
	}
	if err := fitToServer(ctx, config); err != nil {
		return nil, fmt.Errorf("reach the database at %s: %w", config.Addr, err)
	}
	connector, err := gomysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("database URL %q: %w", redact(o.URL), err)
	}
	// Reads have a pool of their own: a unit that reads beside its transaction
	// never waits for a connection that only another such unit could give back.
	readers := max(1, o.MaxConnections/3)
	db := &DB{Dialect: MySQL, URL: redact(o.URL)}
	if db.write, err = db.gorm(db.mysqlOver(connector, o.MaxConnections-readers, o.MaxIdleTime), o.Clock); err != nil {
		return nil, fmt.Errorf("reach the database at %s: %w", config.Addr, err)
	}
	if db.read, err = db.gorm(db.mysqlOver(connector, readers, o.MaxIdleTime), o.Clock); err != nil {
		return nil, fmt.Errorf("reach the database at %s: %w", config.Addr, err)
	}
	return db, nil
}

// mysqlOver returns the dialect over a pool. Without RETURNING an INSERT is one
// reply packet, which has the new id already, instead of a result set.
func (db *DB) mysqlOver(connector driver.Connector, size int, idle time.Duration) gorm.Dialector {
	connections := pool(sessions{Connector: connector, bounded: true, opened: &db.links}, size)
	connections.SetConnMaxLifetime(connMaxLifetime)
	connections.SetConnMaxIdleTime(cmp.Or(idle, connMaxIdleTime))
	return mysql.New(mysql.Config{Conn: connections, DisableWithReturning: true})
}

func pool(connector driver.Connector, size int) *sql.DB {
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
}

func mysqlConfig(raw string) (*gomysql.Config, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return nil, fmt.Errorf("database URL %q: want mysql://user:password@host:port/database", redact(raw))
	}
	config := gomysql.NewConfig()
	if config.TLS, err = tlsOf(u); err != nil {
		return nil, fmt.Errorf("database URL %q: %w", redact(raw), err)
	}
	config.Net, config.Addr = "tcp", u.Host
	if u.Port() == "" {
		config.Addr += ":3306"
	}
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	config.DBName = strings.Trim(u.Path, "/")
	config.Collation = "utf8mb4_bin"
	config.Loc, config.ParseTime = time.UTC, true
	// Without it MySQL counts changed rows, and a guarded UPDATE that writes
	// equal values would look like a lost race.
	config.ClientFoundRows = true
	// One round trip a statement instead of prepare, execute, close.
	config.InterpolateParams = true
	config.Timeout, config.ReadTimeout, config.WriteTimeout = dialTimeout, ioTimeout, ioTimeout
	config.Params = map[string]string{
		"time_zone":                "'+00:00'",
		"sql_mode":                 "'STRICT_ALL_TABLES,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		"innodb_lock_wait_timeout": fmt.Sprint(int(lockWaitTimeout.Seconds())),
	}
	config.Logger = &gomysql.NopLogger{}
	return config, nil
}

// tlsOf returns how the URL of a MySQL server says to speak TLS with it, nil for not at all:
// ?tls=true believes the machine's certificate authorities, ?ca=FILE those in the file, in
// PEM, and no others. The server's name is always checked, and there is no falling back: a
// link that anybody could have put himself into is no safer than a plain one.
func tlsOf(u *url.URL) (*tls.Config, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("read its options: %w", err)
	}
	for name, values := range query {
		if name != "tls" && name != "ca" || len(values) != 1 {
			return nil, fmt.Errorf("it has the option %q; there are tls=true and ca=FILE, each once", name)
		}
	}
	wants, file := query.Get("tls"), query.Get("ca")
	if wants != "" && wants != "true" && wants != "false" || wants == "false" && file != "" {
		return nil, fmt.Errorf("tls is %q; want true, or false without a ca", wants)
	}
	if wants != "true" && file == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: u.Hostname()}
	if file == "" {
		return config, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the certificate authorities: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate in PEM", file)
	}
	return config, nil
}

// causalReads has every statement on a Galera cluster wait until its server has applied
// what was committed before it anywhere: 1 for reads and BEGIN, 2 for UPDATE and DELETE, 4
// for INSERT and REPLACE. Without it "not found" on another server says nothing: the
// witness of a COMMIT whose reply was lost, and whatever a client reads back, would be
// answered of a moment before.
const causalReads = "7"

// fitToServer sets for each session what depends on the server. It makes READ COMMITTED the
// session's level, under the name that this server gives the variable: a session default
// costs nothing, where a level named at BEGIN costs a round trip for each transaction. On a
// Galera cluster reads are causal.
func fitToServer(ctx context.Context, config *gomysql.Config) error {
	connector, err := gomysql.NewConnector(config)
	if err != nil {
		return err
	}
	probe := sql.OpenDB(connector)
	defer probe.Close()
	var version string
	if err := probe.QueryRowContext(ctx, "SELECT VERSION()").Scan(&version); err != nil {
		return err
	}
	variable := "transaction_isolation"
	if strings.Contains(version, "MariaDB") {
		variable = "tx_isolation"
	}
	config.Params[variable] = "'READ-COMMITTED'"
	var name, cluster string
	err = probe.QueryRowContext(ctx, "SHOW VARIABLES LIKE 'wsrep_on'").Scan(&name, &cluster)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if cluster == "ON" {
		config.Params["wsrep_sync_wait"] = causalReads
	}
	return nil
}

func (db *DB) gorm(dialector gorm.Dialector, now clock.Clock) (*gorm.DB, error) {
	g, err := gorm.Open(dialector, &gorm.Config{
		SkipDefaultTransaction: true,
		Logger:                 logger.Discard,
		NowFunc:                now.Now,
	})
	if err != nil {
		return nil, err
	}
	for _, plugin := range []gorm.Plugin{tenancy{}, errorClasses{db}, writeMarks{}} {
		if err := g.Use(plugin); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Read returns where to read outside a transaction, bound to the tenant of ctx.
// On SQLite it refuses writes.
func (db *DB) Read(ctx context.Context) *gorm.DB { return db.read.WithContext(ctx) }

// Write returns a connection for single statements that are no business
// mutation and need no audit row: sessions, log-in attempts, marks of use.
// Everything else goes through a uow.Unit.
func (db *DB) Write(ctx context.Context) *gorm.DB { return db.write.WithContext(ctx) }

// Begin begins a transaction: BEGIN IMMEDIATE on SQLite, READ COMMITTED on
// MySQL. It lives as long as life; its statements run under ctx.
func (db *DB) Begin(ctx, life context.Context) (*gorm.DB, error) {
	tx := db.write.WithContext(life).Begin()
	if tx.Error != nil {
		return nil, db.classify(tx.Error)
	}
	return tx.WithContext(ctx), nil
}

// Snapshot runs fn in a transaction that only reads, and whose statements all see the
// database at the moment of the first of them: REPEATABLE READ on MySQL, a deferred
// transaction on SQLite. It is bound to the tenant of ctx.
func (db *DB) Snapshot(ctx context.Context, fn func(tx *gorm.DB) error) error {
	options := &sql.TxOptions{ReadOnly: true}
	if db.Dialect == MySQL {
		options.Isolation = sql.LevelRepeatableRead
	}
	return db.read.WithContext(ctx).Transaction(fn, options)
}

// Classify returns err with its class, for errors that did not pass GORM.
func (db *DB) Classify(err error) error { return db.classify(err) }

// Ping asks the database whether it is there.
func (db *DB) Ping(ctx context.Context) error {
	pool, err := db.write.DB()
	if err != nil {
		return err
	}
	if err := pool.PingContext(ctx); err != nil {
		return db.classify(err)
	}
	return nil
}

// Pools returns the connection pools by name, for metrics.
func (db *DB) Pools() map[string]*sql.DB {
	pools := make(map[string]*sql.DB, 2)
	if pool, err := db.write.DB(); err == nil {
		pools["write"] = pool
	}
	if pool, err := db.read.DB(); err == nil {
		pools["read"] = pool
	}
	return pools
}

// Close closes the pools.
func (db *DB) Close() error {
	var first error
	for _, pool := range db.Pools() {
		if err := pool.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// redact returns the URL without its password.
func redact(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "(not a URL)"
	}
	return u.Redacted()
}
