package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"interlock/internal/base/clock"
	"interlock/internal/base/expiry"
)

// Dialect identifies a family of engines.
type Dialect string

// The dialects. MySQL includes MariaDB and compatible engines.
const (
	SQLite Dialect = "sqlite"
	MySQL  Dialect = "mysql"
)

// Options describe the database to open.
type Options struct {
	// URL is sqlite://path or mysql://user:password@host:port/database.
	URL string
	// MaxConnections bounds the connections to a server; 0 means 48. A third of them is for reads.
	// SQLite has one writer, and MaxConnections readers.
	MaxConnections int
	// MaxIdleTime is the maximum idle time of a connection to a server; 0 means 30 seconds.
	MaxIdleTime time.Duration
	// StatementTimeout bounds a statement on a server; 0 means 30 seconds. It must be longer than the wait for a row lock, which is 5 seconds.
	StatementTimeout time.Duration
	// Existing rejects an SQLite database that does not exist, which Open would otherwise create.
	Existing bool
	// Clock provides GORM's timestamps; nil means the system clock.
	Clock clock.Clock
}

// DB is an open database.
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
	// limiters belong to the pools on MySQL; empty on SQLite. servers are the servers of
	// their connections, and packets reports whether several statements at a time may be
	// sent to them.
	limiters []*poolLimiter
	servers  servers
	packets  bool
	// certificate contains the expiry of the server's certificate, if the connection uses TLS.
	certificate expiry.Seen
	// open makes a connection outside of the pools; nil on SQLite.
	open func(ctx context.Context) (*session, error)
}

// ErrNoDatabase reports that there is no database at an address.
var ErrNoDatabase = errors.New("no database")

// NoDatabaseAt is ErrNoDatabase with the address and the next step.
func NoDatabaseAt(address string) error {
	return fmt.Errorf("%w at %s: check the address, or create one by `admin serve` (embedded) or `admin migrate up`", ErrNoDatabase, redact(address))
}

// Open opens the database and executes one query, so that a wrong address or password fails
// immediately. It does not migrate. Errors: ErrNoDatabase.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.MaxConnections == 0 {
		o.MaxConnections = 48
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	switch DialectOf(o.URL) {
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
	if info, err := os.Stat(path); o.Existing && (errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0) {
		return nil, NoDatabaseAt(o.URL)
	}
	if err := CreateFolder(path); err != nil {
		return nil, err
	}
	if err := createPrivate(path); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	// WAL with synchronous=FULL: an acknowledged write survives a crash of the machine. The
	// busy timeout is for other processes (commands next to serve).
	const common = "?_time_format=sqlite&_timezone=UTC&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	db := &DB{Dialect: SQLite, URL: o.URL}
	// Rollback data of savepoints stays in memory: in files it costs a fifth of an edit.
	connector, err := newSQLiteConnector("file:" + path + common + "&_pragma=temp_store(MEMORY)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db.groups = &groupCommit{connector: preparing{connector, writerStatements}, opened: &db.links, maxAge: maxGroupAge, writerTimeout: endTimeout, clock: o.Clock}
	writer := pool(db.groups, writerLinks)
	// At least one of these connections is always open. So the writer's connection is never
	// the last one: its end would make the next one recover the write-ahead log while the
	// service runs.
	connector, err = newSQLiteConnector("file:" + path + common + "&_pragma=query_only(1)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	reader := pool(sessions{Connector: preparing{connector, readerStatements}, opened: &db.links}, o.MaxConnections)

	if err := writer.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if db.write, err = db.gorm(sqliteDialect{writer}, o.Clock); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if db.read, err = db.gorm(sqliteDialect{reader}, o.Clock); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return db, nil
}

// CreateFolder creates the folder of an SQLite database for its owner only.
func CreateFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the data folder: %w", err)
	}
	return nil
}

// createPrivate creates the file with access for its owner only, unless it exists. SQLite would
// make it world-readable; the log and the index next to it get the file's mode.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(AssignToOwner(file), file.Close())
}

// AssignToOwner changes the owner of a file that root created to the owner of the file's folder, so
// that the service's user can open files that an operator's command created.
func AssignToOwner(file *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	folder, err := os.Stat(filepath.Dir(file.Name()))
	if err != nil {
		return err
	}
	owner := folder.Sys().(*syscall.Stat_t)
	return file.Chown(int(owner.Uid), int(owner.Gid))
}

func pool(connector driver.Connector, size int) *sql.DB {
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool
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

// Read returns a connection for reads outside a transaction, bound to the tenant of ctx. On
// SQLite it rejects writes.
func (db *DB) Read(ctx context.Context) *gorm.DB { return db.read.WithContext(ctx) }

// Write returns a connection for single statements that are not business mutations and need
// no audit row: sessions, sign-in attempts, time stamps of use. Everything else must use a
// uow.Unit.
func (db *DB) Write(ctx context.Context) *gorm.DB { return db.write.WithContext(ctx) }

// Begin starts a transaction: BEGIN IMMEDIATE on SQLite, READ COMMITTED on MySQL. It ends
// with life at the latest; its statements run under ctx.
func (db *DB) Begin(ctx, life context.Context) (*gorm.DB, error) {
	connection, err := db.write.ConnPool.(*sql.DB).BeginTx(life, nil)
	if err != nil {
		return nil, db.classify(err)
	}
	// This is GORM's Begin, except that GORM would also run the statements under life.
	tx := db.write.WithContext(ctx)
	tx.Statement.ConnPool = connection
	return tx, nil
}

// Snapshot runs fn in a read-only transaction in which all statements see the database as of
// the first one: REPEATABLE READ on MySQL, a deferred transaction on SQLite. It is bound to
// the tenant of ctx.
func (db *DB) Snapshot(ctx context.Context, fn func(tx *gorm.DB) error) error {
	options := &sql.TxOptions{ReadOnly: true}
	if db.Dialect == MySQL {
		options.Isolation = sql.LevelRepeatableRead
	}
	return db.read.WithContext(ctx).Transaction(fn, options)
}

// Classify returns err with its class, for errors that were not returned by GORM.
func (db *DB) Classify(err error) error { return db.classify(err) }

// Ping checks that the database can be reached.
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

// CertificateEnd returns the expiry of the server's certificate; the zero time without TLS.
func (db *DB) CertificateEnd() time.Time { return db.certificate.End() }

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
