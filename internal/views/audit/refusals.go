package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

const (
	// foldedEvery is the interval of writes, and therefore the period that one row covers.
	foldedEvery = time.Minute
	// maxFolded bounds the counters in memory, over all tenants; further rejections are counted
	// without their origin.
	maxFolded = 10_000
	// maxNamed is the number of origins in one row; the others are counted together.
	maxNamed = 50
)

// Refusals counts rejected requests, and writes them to the audit log once a minute: one
// row per tenant, kind and code, with the count, the networks and the users. So rejected
// requests cost no row each, however often they are repeated.
//
// Requests that are rejected before their tenant is known, such as an unknown token, are
// only in the metrics. A killed process loses its counts since the last row. It is safe for
// concurrent use.
type Refusals struct {
	runner *uow.Runner
	clock  clock.Clock
	// tenant finds the id of a tenant by its name. Errors: NotFound.
	tenant func(ctx context.Context, name string) (int64, error)

	// writing is locked during a Flush, so that Flush returns only after a concurrent one
	// has written.
	writing sync.Mutex

	mu     sync.Mutex
	since  time.Time
	counts map[httpapi.Refusal]int64
}

// NewRefusals returns a Refusals without counts. Background writes the counts.
func NewRefusals(runner *uow.Runner, clk clock.Clock, tenant func(ctx context.Context, name string) (int64, error)) *Refusals {
	return &Refusals{runner: runner, clock: clk, tenant: tenant, since: clk.Now(), counts: map[httpapi.Refusal]int64{}}
}

// CountRefusal implements httpapi.RefusalCounter.
func (r *Refusals) CountRefusal(refusal httpapi.Refusal) { r.add(refusal, 1) }

func (r *Refusals) add(refusal httpapi.Refusal, times int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.counts[refusal]; !known && len(r.counts) >= maxFolded {
		if refusal.TenantID == 0 {
			return // invented tenant names must not fill the memory
		}
		refusal.Network, refusal.Who, refusal.Route = "", "", ""
	}
	r.counts[refusal] += times
}

// Background returns the service that writes once a minute, and once more when it stops.
func (r *Refusals) Background() background.Service {
	return background.Service{Name: "write rejected requests", Every: foldedEvery, Delay: foldedEvery, Run: r.Flush, Last: r.Flush}
}

// kind is the key of a row.
type kind struct {
	tenantID int64
	action   string
	code     apperr.Code
}

// origin is the origin of rejected requests, as the row shows it.
type origin struct {
	Network string `json:"network,omitempty"`
	// Who is a known username, or the name of the authenticated caller.
	Who   string `json:"who,omitempty"`
	Route string `json:"route,omitempty"`
	Count int64  `json:"count"`
}

// refusedDetail is the detail of a row.
type refusedDetail struct {
	Code  apperr.Code `json:"code"`
	From  time.Time   `json:"from"`
	To    time.Time   `json:"to"`
	Count int64       `json:"count"`
	// Origins are the most frequent ones; Others counts the rest.
	Origins []origin `json:"origins"`
	Others  int64    `json:"others"`
}

// Flush writes the counts since the last call, each row in a separate unit. Counts that
// could not be written are added to the next ones.
func (r *Refusals) Flush(ctx context.Context) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	counts, from := r.counts, r.since
	r.counts, r.since = map[httpapi.Refusal]int64{}, r.clock.Now()
	to := r.since
	r.mu.Unlock()

	byKind := map[kind]map[httpapi.Refusal]int64{}
	var failed []error
	unknown := map[string]bool{}
	for refusal, n := range counts {
		named := refusal
		if refusal.TenantID == 0 && !unknown[refusal.Tenant] {
			id, err := r.tenant(ctx, refusal.Tenant)
			switch {
			case apperr.Has(err, apperr.NotFound):
				unknown[refusal.Tenant] = true
			case err != nil:
				failed = append(failed, err)
				r.add(refusal, n)
				continue
			}
			named.TenantID, named.Tenant = id, ""
		}
		if named.TenantID == 0 {
			continue
		}
		k := kind{named.TenantID, named.Action, named.Code}
		if byKind[k] == nil {
			byKind[k] = map[httpapi.Refusal]int64{}
		}
		byKind[k][named] += n
	}
	for _, k := range slices.SortedFunc(maps.Keys(byKind), compareKinds) {
		if err := r.write(ctx, k, summarise(k.code, byKind[k], from, to)); err != nil {
			failed = append(failed, err)
			for refusal, n := range byKind[k] {
				r.add(refusal, n)
			}
		}
	}
	return errors.Join(failed...)
}

func compareKinds(a, b kind) int {
	return cmp.Or(cmp.Compare(a.tenantID, b.tenantID), cmp.Compare(a.action, b.action), cmp.Compare(a.code, b.code))
}

// summarise lists the most frequent origins and counts the others together.
func summarise(code apperr.Code, counts map[httpapi.Refusal]int64, from, to time.Time) refusedDetail {
	f := refusedDetail{Code: code, From: from, To: to, Origins: make([]origin, 0, len(counts))}
	for refusal, n := range counts {
		f.Count += n
		f.Origins = append(f.Origins, origin{refusal.Network, refusal.Who, refusal.Route, n})
	}
	slices.SortFunc(f.Origins, func(a, b origin) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Network, b.Network), cmp.Compare(a.Who, b.Who), cmp.Compare(a.Route, b.Route))
	})
	if len(f.Origins) > maxNamed {
		for _, o := range f.Origins[maxNamed:] {
			f.Others += o.Count
		}
		f.Origins = f.Origins[:maxNamed]
	}
	return f
}

func (r *Refusals) write(ctx context.Context, k kind, detail refusedDetail) error {
	ctx = principal.With(ctx, principal.System(k.tenantID, "refusals"))
	err := r.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		if _, err := u.Tx(ctx); err != nil {
			return err
		}
		u.AuditOnly(uow.Entry{Action: k.action, Resource: resourceOf(k.action), Detail: detail})
		return nil
	})
	if err != nil {
		return fmt.Errorf("write rejected requests: %w", err)
	}
	return nil
}

func resourceOf(action string) string {
	if action == httpapi.RefusedSignIn {
		return sessions
	}
	return requests
}
