package engines

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

// probeTimeout bounds the queries to one engine.
const probeTimeout = 2 * time.Second

// Probe inspects the engines. Each may be nil.
type Probe struct {
	DB *storage.DB
	// Redis is nil in embedded mode, and if it should be skipped.
	Redis redis.UniversalClient
	Clock clock.Clock
	// RedisCertificate returns when the certificate of Redis expires, the zero time without
	// one; it may be nil.
	RedisCertificate func() time.Time
	// Others are the certificates of the listener and of peers that are not engines.
	Others []Watched
}

// Watched is a certificate in use; End returns its expiry, the zero time while it is not known.
type Watched struct {
	Of  string
	End func() time.Time
}

// Inspect inspects each engine. An unreachable engine is a finding, and the others are still
// inspected.
func (p Probe) Inspect(ctx context.Context) Report {
	r := Report{Time: p.Clock.Now()}
	if p.DB != nil {
		p.checkDatabase(ctx, &r)
	}
	if p.Redis != nil {
		p.checkRedis(ctx, &r)
	}
	p.checkCertificates(&r)
	return r
}

// checkCertificates reports the certificates that the connections presented. Only those of
// engines have a finding.
func (p Probe) checkCertificates(r *Report) {
	note := func(of string, end func() time.Time) {
		if end != nil && !end().IsZero() {
			r.Certificates = append(r.Certificates, Certificate{Of: of, End: end()})
		}
	}
	if p.DB != nil {
		note(string(Database), p.DB.CertificateEnd)
	}
	note(string(Redis), p.RedisCertificate)
	for _, found := range r.Certificates {
		r.Findings = append(r.Findings, found.Finding(Engine(found.Of), p.Clock.Now()))
	}
	for _, other := range p.Others {
		note(other.Of, other.End)
	}
}

// expiresSoon is how long before its end a certificate is a risk.
const expiresSoon = 14 * 24 * time.Hour

// Finding returns the finding about a certificate.
func (c Certificate) Finding(of Engine, now time.Time) Finding {
	finding := Finding{Engine: of, Name: "certificate", Value: c.End.UTC().Format(time.RFC3339), Level: OK}
	finding.Says = "It expires on " + c.End.UTC().Format("2006-01-02") + "."
	switch left := c.End.Sub(now); {
	case left <= 0:
		finding.Level = Broken
		finding.Says = "It expired on " + c.End.UTC().Format("2006-01-02") + ", so new connections fail. Replace it."
	case left < expiresSoon:
		finding.Level = Risk
		finding.Says += " After that, new connections fail. Replace it before."
	}
	return finding
}

func (p Probe) checkDatabase(ctx context.Context, r *Report) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	findings, err := databaseFindings(ctx, p.DB)
	if err != nil {
		r.Findings = append(r.Findings, silent(Database, "", err))
		return
	}
	r.Findings = append(r.Findings, findings...)
	if p.DB.Dialect == storage.SQLite {
		return // its clock is this process's
	}
	pool := p.DB.Pools()["read"]
	p.compare(r, Database, "", func() (time.Time, error) {
		var at time.Time
		err := pool.QueryRowContext(ctx, "SELECT UTC_TIMESTAMP(6)").Scan(&at)
		return at, err
	})
}

func (p Probe) checkRedis(ctx context.Context, r *Report) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	nodes, err := redisNodes(ctx, p.Redis)
	if err != nil {
		r.Findings = append(r.Findings, silent(Redis, "", err))
		return
	}
	for _, node := range nodes {
		facts, err := node.facts(ctx)
		if err != nil {
			r.Findings = append(r.Findings, silent(Redis, node.address, err))
			continue
		}
		r.Findings = append(r.Findings, facts.findings()...)
		if memory, known := facts.memory(); known {
			r.Memory = append(r.Memory, memory)
		}
		p.compare(r, Redis, node.address, func() (time.Time, error) { return node.client.Time(ctx).Result() })
	}
}

// silent returns the finding for an engine that does not reply.
func silent(engine Engine, node string, err error) Finding {
	return Finding{Engine: engine, Name: string(engine), Node: node, Level: Broken, Err: err,
		Says: "It does not respond, so its guarantees are unknown."}
}

// clockSamples is the number of clock readings; the one with the shortest round trip
// counts.
const clockSamples = 3

// tolerance is the maximum difference of two clocks without a risk.
const tolerance = time.Second

// compare reads an engine's clock several times and reports how far it is ahead of this process's
// clock. It uses the reading with the shortest round trip, and assumes that the engine read its
// clock in the middle of that round trip.
func (p Probe) compare(r *Report, engine Engine, node string, ask func() (time.Time, error)) {
	best := Clock{Engine: engine, Node: node, Error: time.Hour}
	for range clockSamples {
		sent, mark := p.Clock.Now(), clock.Mark()
		at, err := ask()
		half := clock.Since(mark) / 2
		if err != nil {
			r.Findings = append(r.Findings, Finding{Engine: engine, Name: "clock", Node: node, Level: Unknown, Err: err,
				Says: "Its time cannot be read."})
			return
		}
		if half < best.Error {
			best.Skew, best.Error = at.Sub(sent.Add(half)), half
		}
	}
	r.Clocks = append(r.Clocks, best)
	r.Findings = append(r.Findings, best.finding())
}

func (c Clock) finding() Finding {
	finding := Finding{Engine: c.Engine, Name: "clock", Node: c.Node, Level: OK}
	away, direction := c.Skew, "ahead of"
	if away < 0 {
		away, direction = -away, "behind"
	}
	finding.Value = fmt.Sprintf("%+.3f s", c.Skew.Seconds())
	finding.Says = fmt.Sprintf("Its clock is %s %s this process's, give or take %s.", rounded(away), direction, rounded(c.Error))
	if away-c.Error > tolerance {
		finding.Level = Risk
		finding.Says += " Sales, unpaid orders, tokens and stored replies start or expire by that much too early or too late, " +
			"and not at the same time for all replicas. Synchronise the machines' clocks (NTP)."
	}
	return finding
}

func rounded(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}

// Fatal returns the findings that break a guarantee; a server does not start with them.
func (r Report) Fatal() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !f.Fatal })
}

// NotOK returns the findings that need attention.
func (r Report) NotOK() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Level == OK })
}
