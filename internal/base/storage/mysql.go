package storage

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	gomysql "github.com/go-sql-driver/mysql"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"

	"interlock/internal/base/expiry"
	"interlock/internal/base/secretfile"
	"interlock/migrations"
)

// RequestStatementTimeout is the StatementTimeout of a process that serves requests.
const RequestStatementTimeout = 7 * time.Second

// VanishedAfter is the time after which a server ends an idle transaction of a serving process. It
// is longer than the lease of a lock (10 s), so that the write of a process that was paused until
// then still reaches the guard.
const VanishedAfter = 15 * time.Second

// Time-outs of a MySQL connection. Options.StatementTimeout bounds every statement and COMMIT, so that a
// half-open connection causes an error and not a hanging request.
const (
	dialTimeout             = 3 * time.Second
	defaultStatementTimeout = 30 * time.Second
	lockWaitTimeout         = 5 * time.Second
	// connMaxLifetime is the maximum age of a connection, so that the connections of a
	// small server are redistributed among the replicas.
	connMaxLifetime = 5 * time.Minute
	// connMaxIdleTime is the maximum idle time of a connection to a server, because other
	// replicas may need the connections of a past burst.
	connMaxIdleTime = 30 * time.Second
)

func openMySQL(ctx context.Context, o Options) (*DB, error) {
	db := &DB{Dialect: MySQL, URL: redact(o.URL)}
	config, packets, err := db.mysqlConfig(o)
	if err != nil {
		return nil, err
	}
	if packets, err = fitToServer(ctx, config, packets); err != nil {
		return nil, openError(config.Addr, o.URL, err)
	}
	readConnector, err := gomysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("database URL %q: %w", redact(o.URL), err)
	}
	config.MultiStatements = packets
	writeConnector, err := gomysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("database URL %q: %w", redact(o.URL), err)
	}
	// Reads have a separate pool, so that a unit which reads outside its transaction never
	// waits for a connection that only another such unit could release.
	readers := max(1, o.MaxConnections/3)
	db.packets = packets
	if db.write, err = db.gorm(db.mysqlOver(sessions{Connector: writeConnector, packets: packets}, o.MaxConnections-readers, o.MaxIdleTime), o.Clock); err != nil {
		return nil, openError(config.Addr, o.URL, err)
	}
	if db.read, err = db.gorm(db.mysqlOver(sessions{Connector: readConnector}, readers, o.MaxIdleTime), o.Clock); err != nil {
		return nil, openError(config.Addr, o.URL, err)
	}
	return db, nil
}

// openError returns the error for a server that could not be opened. It explains error numbers for
// which the server's own text is unclear.
func openError(address, raw string, err error) error {
	var fromServer *gomysql.MySQLError
	if errors.As(err, &fromServer) {
		switch fromServer.Number {
		case 1286: // of SET default_storage_engine
			err = unfit("it has no InnoDB, and other engines may ignore COMMIT and ROLLBACK: %w", err)
		case 1049:
			return NoDatabaseAt(raw)
		case 1047, 1205: // nothing is locked by asking for its version
			err = fmt.Errorf("it is a cluster server that rejects requests, because its part of the cluster has no majority or it has not joined yet: %w", err)
		}
	}
	return fmt.Errorf("reach the database at %s: %w", address, err)
}

// mysqlOver returns the dialect over a pool. Without RETURNING the reply to an INSERT is
// one packet with the new id, instead of a result set.
func (db *DB) mysqlOver(connector sessions, size int, idle time.Duration) gorm.Dialector {
	connector.bounded, connector.opened, connector.limiter, connector.servers = true, &db.links, newPoolLimiter(size), &db.servers
	connections := pool(connector, size)
	connector.limiter.pool = connections
	db.open = connector.open
	db.limiters = append(db.limiters, connector.limiter)
	connections.SetConnMaxLifetime(connMaxLifetime)
	connections.SetConnMaxIdleTime(cmp.Or(idle, connMaxIdleTime))
	return mysql.New(mysql.Config{Conn: connections, DisableWithReturning: true})
}

// mysqlConfig parses the URL of a server, and whether packets may be sent to it.
func (db *DB) mysqlConfig(o Options) (config *gomysql.Config, packets bool, err error) {
	raw := o.URL
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return nil, false, fmt.Errorf("database URL %q: want mysql://user:password@host:port/database", redact(raw))
	}
	options, err := optionsOf(u)
	if err != nil {
		return nil, false, fmt.Errorf("database URL %q: %w", redact(raw), err)
	}
	config = gomysql.NewConfig()
	if config.TLS, err = tlsOf(u.Hostname(), options, &db.certificate); err != nil {
		return nil, false, fmt.Errorf("database URL %q: %w", redact(raw), err)
	}
	config.Net, config.Addr = "tcp", u.Host
	if u.Port() == "" {
		config.Addr += ":3306"
	}
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	if file := options.Get("password_file"); file != "" {
		readPassword := func(_ context.Context, c *gomysql.Config) (err error) {
			c.Passwd, err = secretfile.Read(file)
			return err
		}
		if err := cmp.Or(readPassword(nil, config), config.Apply(gomysql.BeforeConnect(readPassword))); err != nil {
			return nil, false, fmt.Errorf("the database's password: %w", err)
		}
	}
	config.DBName = strings.Trim(u.Path, "/")
	config.Collation = "utf8mb4_bin"
	config.Loc, config.ParseTime = time.UTC, true
	// Without ClientFoundRows, MySQL counts only the changed rows, and a guarded UPDATE with
	// unchanged values would look like a lost race.
	config.ClientFoundRows = true
	// One round trip per statement instead of prepare, execute, close.
	config.InterpolateParams = true
	timeout := cmp.Or(o.StatementTimeout, defaultStatementTimeout)
	config.Timeout, config.ReadTimeout, config.WriteTimeout = dialTimeout, timeout, timeout
	dialer := net.Dialer{Timeout: dialTimeout, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 2 * time.Second, Count: 3}}
	config.DialFunc = dialer.DialContext
	config.Params = map[string]string{
		"time_zone":                "'+00:00'",
		"sql_mode":                 "'STRICT_ALL_TABLES,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		"innodb_lock_wait_timeout": fmt.Sprint(int(lockWaitTimeout.Seconds())),
		// Tables without an explicit engine use InnoDB, and a server without InnoDB rejects the
		// connection.
		"default_storage_engine": "'InnoDB'",
	}
	config.Logger = &gomysql.NopLogger{}
	return config, options.Get("packets") != "false", nil
}

// optionsOf parses the query of a server's URL: tls and ca, see tlsOf; password_file, which is read
// for each connection, so that a password can change without a restart; and packets=false for a
// server, or a proxy in front of it, that accepts only one statement at a time.
func optionsOf(u *url.URL) (url.Values, error) {
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("read its options: %w", err)
	}
	for name, values := range options {
		if !slices.Contains([]string{"tls", "ca", "packets", "password_file"}, name) || len(values) != 1 {
			return nil, fmt.Errorf("it has the option %q; there are tls=true, ca=FILE, password_file=FILE and packets=false, each once", name)
		}
	}
	if packets := options.Get("packets"); packets != "" && packets != "true" && packets != "false" {
		return nil, fmt.Errorf("packets is %q; want true or false", packets)
	}
	return options, nil
}

// tlsOf returns the TLS configuration for a MySQL server, nil for none: tls=true trusts the
// certificate authorities of the machine, ca=FILE only those in the PEM file. The server's
// name is always verified, and there is no fallback to plain text, because an attacker
// could force it.
func tlsOf(host string, options url.Values, certificate *expiry.Seen) (*tls.Config, error) {
	wants, file := options.Get("tls"), options.Get("ca")
	if wants != "" && wants != "true" && wants != "false" || wants == "false" && file != "" {
		return nil, fmt.Errorf("tls is %q; want true, or false without a ca", wants)
	}
	if wants != "true" && file == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host, VerifyConnection: certificate.Note}
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

// fitToServer sets the session settings that depend on the kind of the server. It makes
// READ COMMITTED the session's level, with this server's name of the variable: a session
// default costs nothing, a level in BEGIN costs a round trip per transaction. If packets
// are requested, it reports whether this kind of server supports them.
func fitToServer(ctx context.Context, config *gomysql.Config, packets bool) (bool, error) {
	asking := config.Clone()
	asking.MultiStatements = packets
	connector, err := gomysql.NewConnector(asking)
	if err != nil {
		return false, err
	}
	probe := sql.OpenDB(connector)
	defer probe.Close()
	// One connection, whichever server a proxy chooses for it.
	probe.SetMaxOpenConns(1)
	var version string
	if err := probe.QueryRowContext(ctx, "SELECT VERSION()").Scan(&version); err != nil {
		return false, err
	}
	// Texts are compared as the columns compare them: with another collation the server uses no
	// index for ORDER BY.
	level, idle, collation := "transaction_isolation", "wait_timeout", migrations.MySQLCollation
	if strings.Contains(version, "MariaDB") {
		level, idle, collation = "tx_isolation", "idle_transaction_timeout", migrations.MariaDBCollation
	}
	config.Params["collation_connection"] = "'" + collation + "'"
	config.Params[level] = "'" + IsolationLevel + "'"
	// A process that vanished without closing its connections must not retain its row locks. MySQL has no
	// timeout for transactions only; idle connections that it closes are reopened.
	config.Params[idle] = fmt.Sprint(int(max(config.ReadTimeout, VanishedAfter).Seconds()))
	if !packets || !Version(version).stopsPackets() {
		return false, nil
	}
	return acceptsPackets(ctx, probe)
}

// acceptsPackets tests whether a server accepts several statements at a time and stops after
// one that changed no row. Proxies may not.
func acceptsPackets(ctx context.Context, probe *sql.DB) (bool, error) {
	_, err := probe.ExecContext(ctx, "DO 0"+BetweenStatements+changedOne)
	var fromServer *gomysql.MySQLError
	if errors.As(err, &fromServer) {
		return fromServer.Number == outOfRange, nil
	}
	return false, err
}
