package app

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"time"

	"interlock/internal/base/claim"
	"interlock/internal/base/clock"
	"interlock/internal/base/expiry"
	"interlock/internal/base/oidc"
	"interlock/internal/base/redisconn"
	"interlock/internal/base/storage"
	"interlock/internal/settings"
	"interlock/internal/views/engines"
	"interlock/internal/views/retention"
)

// doctorTimeout bounds the examination as a whole.
const doctorTimeout = 15 * time.Second

// Examine checks the engines of the settings without changing them: whether they respond, the
// schema version, the current server, and the checks of engines.Probe. certificates are the files
// of the service's certificates.
func Examine(ctx context.Context, s settings.Storage, redisURL string, certificates ...string) []engines.Finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	findings := append(examineDatabase(ctx, s, redisURL != ""), examineRedis(ctx, redisURL)...)
	for _, file := range certificates {
		findings = append(findings, examineCertificate(file))
	}
	return findings
}

func examineCertificate(file string) engines.Finding {
	end, err := expiry.OfFile(file)
	if err != nil {
		return engines.Finding{Engine: "listener", Name: "certificate", Level: engines.Broken, Says: fmt.Sprintf("It cannot be read: %v.", err)}
	}
	return engines.Certificate{End: end}.Finding("listener", clock.System{}.Now())
}

// ExamineAddress reports the certificate of an https:// address that the service requests;
// nil for another address.
func ExamineAddress(ctx context.Context, of, address string) []engines.Finding {
	if !strings.HasPrefix(address, "https://") {
		return nil
	}
	broken := func(err error) []engines.Finding {
		return []engines.Finding{{Engine: engines.Engine(of), Name: "certificate", Level: engines.Broken, Says: fmt.Sprintf("%s cannot be reached: %v.", address, err)}}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return broken(err)
	}
	var seen expiry.Seen
	response, err := oidc.HTTPClient(oidc.Timeout, &seen).Do(request)
	if err != nil {
		return broken(err)
	}
	_ = response.Body.Close()
	return []engines.Finding{engines.Certificate{End: seen.End()}.Finding(engines.Engine(of), clock.System{}.Now())}
}

func examineDatabase(ctx context.Context, s settings.Storage, withRedis bool) []engines.Finding {
	about := func(level engines.Level, says string, values ...any) engines.Finding {
		return engines.Finding{Engine: engines.Database, Name: "database", Level: level, Says: fmt.Sprintf(says, values...)}
	}
	db, err := storage.Open(ctx, s.Options())
	if err != nil {
		return []engines.Finding{about(engines.Broken, "Opening it failed: %v.", err)}
	}
	defer db.Close()
	findings := []engines.Finding{about(engines.OK, "Reachable at %s.", db.URL), schemaFinding(ctx, db)}
	if findings[1].Level == engines.OK {
		findings = append(findings, encryptionFinding(ctx, db, s))
	}
	if db.Dialect == storage.MySQL && findings[1].Level == engines.OK {
		findings = append(findings, claimFinding(ctx, db, withRedis))
	}
	if findings[1].Level == engines.OK {
		findings = append(findings, retentionFinding(ctx, db))
	}
	if db.Dialect == storage.MySQL {
		if err := spread(ctx, db); err != nil {
			findings = append(findings, about(engines.Unknown, "The number of servers behind its address is unknown: %v.", err))
		}
	}
	return append(findings, engines.Probe{DB: db, Clock: clock.System{}}.Inspect(ctx).Findings...)
}

// spread opens several connections, so that the probe detects whether the address leads to more
// than one server.
func spread(ctx context.Context, db *storage.DB) error {
	const connections = 6
	pool := db.Pools()["read"]
	opened := make([]*sql.Conn, 0, connections)
	defer func() {
		for _, conn := range opened {
			_ = conn.Close()
		}
	}()
	for range min(connections, pool.Stats().MaxOpenConnections) {
		conn, err := pool.Conn(ctx)
		if err != nil {
			return err
		}
		opened = append(opened, conn)
	}
	return nil
}

func schemaFinding(ctx context.Context, db *storage.DB) engines.Finding {
	finding := engines.Finding{Engine: engines.Database, Name: "schema", Level: engines.Broken}
	state, err := db.MigrationState(ctx)
	switch {
	case err != nil:
		finding.Says = fmt.Sprintf("Its version cannot be read: %v.", err)
	case !state.UpToDate():
		finding.Says = fmt.Sprintf("The version is %d; this program needs %d: run `admin migrate up`.", state.Current, state.Target)
	default:
		finding.Level, finding.Says = engines.OK, fmt.Sprintf("The version is %d, the current one.", state.Current)
	}
	return finding
}

// retentionFinding reports the rows that retention has removed.
func retentionFinding(ctx context.Context, db *storage.DB) engines.Finding {
	finding := engines.Finding{Engine: engines.Database, Name: "retention", Level: engines.OK}
	var err error
	if finding.Says, err = retention.Summary(ctx, db, Tables()); err != nil {
		finding.Level, finding.Says = engines.Unknown, fmt.Sprintf("The removals by retention cannot be read: %v.", err)
	}
	return finding
}

// claimFinding reports which server has claimed the database. If that server uses Redis and this
// command has no Redis URL, the level is Unknown: the durability of the purchases in that Redis
// was not checked.
func claimFinding(ctx context.Context, db *storage.DB, withRedis bool) engines.Finding {
	finding := engines.Finding{Engine: engines.Database, Name: "server", Level: engines.OK}
	holder, err := claim.Read(ctx, db)
	switch {
	case err != nil:
		finding.Level, finding.Says = engines.Unknown, fmt.Sprintf("The claiming server cannot be read: %v.", err)
	case !holder.Live():
		finding.Says = "No server uses it now."
	case holder.Alone():
		finding.Says = fmt.Sprintf("One server without Redis uses it: %s.", holder)
	case withRedis:
		finding.Says = fmt.Sprintf("Servers that share a Redis use it, one of them %s.", holder)
	default:
		finding.Level = engines.Unknown
		finding.Says = fmt.Sprintf("Servers that share a Redis use it, one of them %s. The durability of that Redis was not checked: set INTERLOCK_REDIS_URL for this command too.", holder)
	}
	return finding
}

func examineRedis(ctx context.Context, url string) []engines.Finding {
	if url == "" {
		return nil
	}
	about := func(level engines.Level, says string, values ...any) engines.Finding {
		return engines.Finding{Engine: engines.Redis, Name: "redis", Level: level, Says: fmt.Sprintf(says, values...)}
	}
	target, err := redisconn.Parse(url)
	if err != nil {
		return []engines.Finding{about(engines.Broken, "The URL cannot be used: %v.", err)}
	}
	client := target.Connect()
	defer client.Close()
	if err := client.Ping(ctx).Err(); err != nil {
		return []engines.Finding{about(engines.Broken, "Unreachable at %s: %v.", target, err)}
	}
	findings := []engines.Finding{about(engines.OK, "Reachable at %s.", target)}
	return append(findings, engines.Probe{Redis: client, RedisCertificate: target.CertificateEnd, Clock: clock.System{}}.Inspect(ctx).Findings...)
}
