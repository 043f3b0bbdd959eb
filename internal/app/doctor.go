package app

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/redisconn"
	"interlock/internal/settings"
	"interlock/internal/storage"
)

// Finding is one thing that the doctor looked at.
type Finding struct {
	// What was looked at, such as "database".
	What string
	// OK means that the promises hold as they are documented.
	OK bool
	// Says is a sentence: what was found and, when it is not OK, what could be lost
	// and what to do.
	Says string
}

// doctorTimeout bounds the whole examination.
const doctorTimeout = 15 * time.Second

// Examine looks at the engines that the settings point at and changes nothing.
func Examine(ctx context.Context, s settings.Storage, redisURL string) []Finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	findings := examineDatabase(ctx, s)
	if redisURL != "" {
		findings = append(findings, examineRedis(ctx, redisURL)...)
	}
	return findings
}

func examineDatabase(ctx context.Context, s settings.Storage) []Finding {
	if path, ok := s.SQLitePath(); ok {
		// Opening would make it.
		if _, err := os.Stat(path); err != nil {
			return []Finding{{What: "database", Says: fmt.Sprintf("There is none at %s yet: `admin serve` makes it.", path)}}
		}
	}
	db, err := storage.Open(ctx, storage.Options{URL: s.URL(), MaxConnections: s.MaxConnections})
	if err != nil {
		return []Finding{{What: "database", Says: fmt.Sprintf("It cannot be used: %v.", err)}}
	}
	defer db.Close()
	findings := []Finding{{What: "database", OK: true, Says: "It answers at " + db.URL + "."}, schemaFinding(ctx, db)}
	if db.Dialect == storage.SQLite {
		return append(findings, sqliteFindings(ctx, db)...)
	}
	return append(findings, mysqlFindings(ctx, db)...)
}

func schemaFinding(ctx context.Context, db *storage.DB) Finding {
	state, err := db.MigrationState(ctx)
	switch {
	case err != nil:
		return Finding{What: "schema", Says: fmt.Sprintf("Its version cannot be read: %v.", err)}
	case !state.UpToDate():
		return Finding{What: "schema", Says: fmt.Sprintf("It is at %d and this program needs %d: run `admin migrate up`.", state.Current, state.Target)}
	}
	return Finding{What: "schema", OK: true, Says: fmt.Sprintf("It is at %d, as this program needs.", state.Current)}
}

func sqliteFindings(ctx context.Context, db *storage.DB) []Finding {
	return []Finding{
		variable(ctx, db, "journal_mode", "PRAGMA journal_mode", "wal", "Readers would wait for writers: the file system may not support WAL."),
		variable(ctx, db, "synchronous", "PRAGMA synchronous", "2", "An acknowledged write could be lost when the machine crashes."),
	}
}

func mysqlFindings(ctx context.Context, db *storage.DB) []Finding {
	return []Finding{
		variable(ctx, db, "innodb_flush_log_at_trx_commit", "SELECT @@innodb_flush_log_at_trx_commit", "1",
			"A crash of the machine could lose the acknowledged writes of about a second; set it to 1."),
		variable(ctx, db, "innodb_doublewrite", "SELECT @@innodb_doublewrite", "1",
			"A crash in the middle of a page write could leave the page torn; set it to ON unless the storage writes pages whole."),
		variable(ctx, db, "read_only", "SELECT @@read_only", "0", "The server takes no writes: this is a replica, or it is in maintenance."),
	}
}

// variable compares one setting of the engine with what the promises need.
func variable(ctx context.Context, db *storage.DB, name, query, want, otherwise string) Finding {
	pool := db.Pools()["read"]
	var got string
	if err := pool.QueryRowContext(ctx, query).Scan(&got); err != nil {
		return Finding{What: name, Says: fmt.Sprintf("It cannot be read: %v.", err)}
	}
	if got != want {
		return Finding{What: name, Says: fmt.Sprintf("It is %s. %s", got, otherwise)}
	}
	return Finding{What: name, OK: true, Says: "It is " + got + "."}
}

func examineRedis(ctx context.Context, redisURL string) []Finding {
	target, err := redisconn.Parse(redisURL)
	if err != nil {
		return []Finding{{What: "redis", Says: fmt.Sprintf("The URL cannot be used: %v.", err)}}
	}
	client := target.Connect()
	defer client.Close()
	if err := client.Ping(ctx).Err(); err != nil {
		return []Finding{{What: "redis", Says: fmt.Sprintf("It does not answer at %s: %v.", target, err)}}
	}
	return []Finding{
		{What: "redis", OK: true, Says: "It answers at " + target.String() + "."},
		redisSetting(ctx, client, "appendonly", "yes", "What is only in Redis would be lost in a restart. A restart would free locks that are held, and lose what is queued: tickets of flash sales that were accepted and are no orders yet."),
		redisSetting(ctx, client, "maxmemory-policy", "noeviction", "Redis may drop keys when its memory is full; set noeviction."),
	}
}

func redisSetting(ctx context.Context, client redis.UniversalClient, name, want, otherwise string) Finding {
	found, err := client.ConfigGet(ctx, name).Result()
	if err != nil {
		return Finding{What: name, Says: fmt.Sprintf("It cannot be read: %v.", err)}
	}
	if got := found[name]; got != want {
		return Finding{What: name, Says: fmt.Sprintf("It is %s. %s", got, otherwise)}
	}
	return Finding{What: name, OK: true, Says: "It is " + want + "."}
}
