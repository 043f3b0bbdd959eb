package promises

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/core/walk"
	"interlock/internal/edge/idempotency"
	"interlock/internal/module"
)

// maxShown bounds the violations shown per promise.
const maxShown = 20

type listView struct {
	// The time at which the service read this.
	Time     time.Time     `json:"time"`
	Promises []promiseView `json:"promises"`
	// The idempotency keys of the tenant, as counted last. Empty without a quota.
	Quotas []idempotency.Usage `json:"quotas"`
	// The tenant's setting `selfApproval`: if it is true, a refund may be approved by its requester.
	SelfApproval bool `json:"selfApproval"`
}

// promiseState is the state of a promise for the caller's tenant.
type promiseState string

const (
	stateKept     promiseState = "kept"
	stateViolated promiseState = "violated"
	// stateUnknown: no complete pass has ended yet.
	stateUnknown promiseState = "unknown"
)

// Enum returns the states.
func (promiseState) Enum() []string {
	return []string{string(stateKept), string(stateViolated), string(stateUnknown)}
}

type promiseView struct {
	Name string `json:"name" schema:"PromiseName"`
	// The heading in the guarantees document.
	Guarantee string `json:"guarantee" validate:"oneof=G1 G2 G3 G4 G5 G6 G7"`
	// The promise in one sentence.
	Says string `json:"says" validate:"required"`
	// Tests that would fail if the program broke it.
	Tests []string `json:"tests" validate:"dive,required"`
	// Tests of the promise during failures of engines and processes.
	Faults []string `json:"faults" validate:"dive,required"`
	// `unknown` before the end of the first complete check.
	State promiseState `json:"state"`
	// The end of the last complete check without a violation of the tenant.
	LastTrueTime *time.Time `json:"lastTrueTime"`
	// The end of the last complete check.
	LookedTime *time.Time `json:"lookedTime"`
	// The number of rows in this check, of all tenants.
	Rows int64 `json:"rows" validate:"min=0"`
	// How long this check used the database.
	BusySeconds float64 `json:"busySeconds" validate:"min=0"`
	// The check in progress; null between two checks.
	Looking *lookingView `json:"looking"`
	// The number of known violations of the tenant, at most 100.
	Violated int `json:"violated" validate:"min=0,max=100"`
	// The first of them.
	Violations []violationView `json:"violations" validate:"max=20"`
}

type lookingView struct {
	BegunTime time.Time `json:"begunTime"`
	Rows      int64     `json:"rows" validate:"min=0"`
}

type violationView struct {
	// The path of the resource in violation, such as orders/17.
	Subject   string    `json:"subject" validate:"required"`
	FoundTime time.Time `json:"foundTime"`
}

// list returns all promises with the violations of the caller's tenant.
func (s *Service) list(ctx context.Context) (listView, error) {
	states, err := s.walker.States(ctx)
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
	if view.SelfApproval, err = s.tenancy.SelfApproval(ctx); err != nil {
		return listView{}, err
	}
	for i, p := range s.checks.list {
		view.Promises[i] = viewOf(p, states[p.Name], byName[p.Name])
	}
	return view, nil
}

func viewOf(p module.Promise, st *walk.State, found []violation) promiseView {
	v := promiseView{
		Name: p.Name, Guarantee: p.Guarantee, Says: p.Sentence, Tests: p.Tests, Faults: append([]string{}, p.Faults...),
		State: stateUnknown, LastTrueTime: st.Last.EndedTime, LookedTime: st.Last.EndedTime,
		Rows: st.Last.Checked, BusySeconds: float64(st.Last.BusyUS) / 1e6,
		Violated: len(found), Violations: []violationView{},
	}
	if st.Last.EndedTime != nil {
		v.State = stateKept
	}
	if st.Running() {
		v.Looking = &lookingView{*st.StartedTime, st.Checked}
	}
	for i, violation := range found {
		v.State = stateViolated
		if i == 0 || earlier(violation.KeptTime, v.LastTrueTime) {
			v.LastTrueTime = violation.KeptTime
		}
		if i < maxShown {
			v.Violations = append(v.Violations, violationView{violation.Subject, violation.FoundTime})
		}
	}
	return v
}

// earlier reports whether a is before b; nil is before all times.
func earlier(a, b *time.Time) bool {
	return b != nil && (a == nil || a.Before(*b))
}

// example is a list with one promise for the contract.
var example = func() listView {
	looked := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	return listView{
		Time: looked.Add(5 * time.Second),
		Quotas: []idempotency.Usage{
			{Holders: "user", Keys: 91000000, Quota: 110000000, AlmostFull: true},
			{Holders: "customer", Keys: 1200, Quota: 110000000},
		},
		Promises: []promiseView{viewOf(module.Promise{
			Name: "wallet-balances", Guarantee: "G4", Sentence: "The entries of each wallet add up to its balance, which is never negative.",
			Tests:  []string{"TestVersionRejectsAPausedHolderDespiteSufficientBalance"},
			Faults: []string{"TestRetriedDebitsOfAKilledProgramAreAppliedOnce"},
		}, &walk.State{Last: walk.Pass{EndedTime: &looked, Checked: 4711, BusyUS: 310000}}, nil)},
	}
}()
