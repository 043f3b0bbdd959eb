package promises

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/edge/idempotency"
	"interlock/internal/module"
)

// mostShown bounds the violations shown per promise.
const mostShown = 20

type listView struct {
	// Time is the time of the read.
	Time     time.Time     `json:"time"`
	Promises []promiseView `json:"promises"`
	// Quotas are the idempotency keys of the caller's tenant; empty without a quota.
	Quotas []idempotency.Usage `json:"quotas"`
}

// The states of a promise for the caller's tenant.
const (
	stateKept     = "kept"
	stateViolated = "violated"
	// stateUnknown: no complete pass has ended yet.
	stateUnknown = "unknown"
)

type promiseView struct {
	Name      string   `json:"name"`
	Guarantee string   `json:"guarantee"`
	Says      string   `json:"says"`
	Tests     []string `json:"tests"`
	Faults    []string `json:"faults"`
	State     string   `json:"state"`
	// LastTrueTime is the end of the last complete pass without violations of the caller's
	// tenant, and LookedTime the end of the last one.
	LastTrueTime *time.Time `json:"lastTrueTime"`
	LookedTime   *time.Time `json:"lookedTime"`
	// Rows and BusySeconds describe that pass, over all tenants.
	Rows        int64   `json:"rows"`
	BusySeconds float64 `json:"busySeconds"`
	// Looking is the running pass; nil between passes.
	Looking *lookingView `json:"looking"`
	// Violated is the number of known current violations of the caller's tenant, at most
	// 100.
	Violated   int             `json:"violated"`
	Violations []violationView `json:"violations"`
}

type lookingView struct {
	BegunTime time.Time `json:"begunTime"`
	Rows      int64     `json:"rows"`
}

type violationView struct {
	Subject   string    `json:"subject"`
	FoundTime time.Time `json:"foundTime"`
}

// list returns all promises with the violations of the caller's tenant.
func (s *Service) list(ctx context.Context) (listView, error) {
	states, err := s.states(ctx)
	if err != nil {
		return listView{}, err
	}
	var found []violation
	if err := s.db.Read(ctx).Order("id").Find(&found).Error; err != nil {
		return listView{}, fmt.Errorf("read promise violations: %w", err)
	}
	quotas, err := s.replies.Usage(ctx)
	if err != nil {
		return listView{}, err
	}
	byName := map[string][]violation{}
	for _, v := range found {
		byName[v.Name] = append(byName[v.Name], v)
	}
	view := listView{Time: s.clock.Now(), Promises: make([]promiseView, len(s.checks.list)), Quotas: quotas}
	for i, p := range s.checks.list {
		view.Promises[i] = viewOf(p, states[p.Name], byName[p.Name])
	}
	return view, nil
}

func viewOf(p module.Promise, st *state, found []violation) promiseView {
	v := promiseView{
		Name: p.Name, Guarantee: p.Guarantee, Says: p.Sentence, Tests: p.Tests, Faults: append([]string{}, p.Faults...),
		State: stateUnknown, LastTrueTime: st.PassedTime, LookedTime: st.PassedTime,
		Rows: st.LastLooked, BusySeconds: float64(st.LastBusyUS) / 1e6,
		Violated: len(found), Violations: []violationView{},
	}
	if st.PassedTime != nil {
		v.State = stateKept
	}
	if st.Place != "" && st.BegunTime != nil {
		v.Looking = &lookingView{*st.BegunTime, st.Looked}
	}
	for i, violation := range found {
		v.State = stateViolated
		if i == 0 || earlier(violation.KeptTime, v.LastTrueTime) {
			v.LastTrueTime = violation.KeptTime
		}
		if i < mostShown {
			v.Violations = append(v.Violations, violationView{violation.Subject, violation.FoundTime})
		}
	}
	return v
}

// earlier compares times; nil is before all others.
func earlier(a, b *time.Time) bool {
	return b != nil && (a == nil || a.Before(*b))
}
