package approvals

import (
	"context"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Topic announces changes of approvals, keyed by id.
const Topic = "approvals"

// Rules are a tenant's settings about approvals.
type Rules struct {
	// Required is the number of votes that a change needs.
	Required int
	// Lasts is how long an approval waits for its votes before it expires.
	Lasts time.Duration
	// Above are the amounts, in minor units, above which changes that move money need votes, by the
	// kind of their Subject. Kinds without an entry need none.
	Above map[string]int64
	// SelfApproved are the kinds of Subjects with changes that their requesters may decide on alone.
	// Votes always need other users.
	SelfApproved []string
	// Since is the time of the last change of these rules.
	Since time.Time
}

// forMoney returns the votes that changes of a subject that moves money need; nil for none.
func (r Rules) forMoney(subject Subject) *MoneyNeeds {
	above, set := r.Above[subject.Grants().Kind]
	if !set {
		return nil
	}
	return &MoneyNeeds{Above: above, Approvals: r.Required}
}

// Tenancy provides the tenant's rules and users.
type Tenancy interface {
	// Rules returns the rules of the context's tenant.
	Rules(ctx context.Context, db *gorm.DB) (Rules, error)
	// StillMay returns the users, among users, that are enabled and have the permission. The result
	// is valid until the unit ends.
	StillMay(ctx context.Context, u *uow.Unit, users []int64, permission string) (map[int64]bool, error)
	// Resets returns the resets of sign-in methods of the users by others since a time, as read by
	// the unit.
	Resets(ctx context.Context, u *uow.Unit, users []int64, since time.Time) ([]principal.Reset, error)
	// Disabled returns at most limit disabled users of the tenant, and DisabledAmong returns the
	// disabled users among users.
	Disabled(ctx context.Context, limit int) ([]int64, error)
	DisabledAmong(ctx context.Context, users []int64) ([]int64, error)
}

// Deps are the dependencies of a Service.
type Deps struct {
	DB      *storage.DB
	Runner  *uow.Runner
	Bus     events.Bus
	Clock   clock.Clock
	Tenancy Tenancy
	// Cipher has the key of the digests in responses.
	Cipher encryption.Cipher
}

// Service implements the use cases of approvals. It is safe for concurrent use after every domain
// has called Offer.
type Service struct {
	db       *storage.DB
	runner   *uow.Runner
	bus      events.Bus
	clock    clock.Clock
	tenancy  Tenancy
	cipher   encryption.Cipher
	subjects map[string]Subject

	deadlines *deadlines
}

// New returns a Service.
func New(d Deps) *Service {
	return &Service{db: d.DB, runner: d.Runner, bus: d.Bus, clock: d.Clock, tenancy: d.Tenancy, cipher: d.Cipher, subjects: map[string]Subject{}, deadlines: newDeadlines(d.Clock)}
}

// Approval returns an approval with its votes. Errors: NotFound.
func (s *Service) Approval(ctx context.Context, id int64) (*Approval, error) {
	approval, err := find(s.db.Read(ctx), id)
	return approval, storage.Found(err, "approval", strconv.FormatInt(id, 10))
}

// List returns one page of approvals with their votes and their first targets, without their
// contents.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Approval], error) {
	caller, _ := principal.From(ctx)
	f, err := s.withCaller(ctx, f)
	if err != nil {
		return storage.Listing[Approval]{}, err
	}
	listing, err := storage.List[Approval](s.db.Read(ctx).Omit("content"), page, sorts, s.filters(f, caller)...)
	if err != nil {
		return listing, err
	}
	if err := s.markAbandoned(ctx, listing.Pointers()...); err != nil {
		return listing, err
	}
	return listing, withParts(s.db.Read(ctx), listing.Pointers(), MaxSides)
}

// markAbandoned marks the stale approvals with a disabled author, who would not notice them.
func (s *Service) markAbandoned(ctx context.Context, rows ...*Approval) error {
	var authors []int64
	for _, a := range rows {
		if a.Status == stale.Code {
			authors = append(authors, a.AuthorID)
		}
	}
	if len(authors) == 0 {
		return nil
	}
	disabled, err := s.tenancy.DisabledAmong(ctx, authors)
	for _, a := range rows {
		a.Abandoned = a.Status == stale.Code && slices.Contains(disabled, a.AuthorID)
	}
	return err
}

// History returns one page of an approval's versions, newest first. It omits the contents if the
// approval has several targets: together they could be very large.
func (s *Service) History(ctx context.Context, a *Approval, page storage.Page) (storage.Listing[Event], error) {
	query := s.db.Read(ctx)
	if len(a.Targets) > 1 {
		query = query.Omit("content")
	}
	return storage.List[Event](query, page, change.HistorySorts, storage.OwnedBy("approval_id", a.ID))
}

// Needed returns the number of votes that a protected change needs in the context's tenant.
func (s *Service) Needed(ctx context.Context) (int, error) {
	rules, err := s.tenancy.Rules(ctx, s.db.Read(ctx))
	return rules.Required, err
}

// MoneyNeeds are the votes that a change of one kind that moves money needs.
type MoneyNeeds struct {
	// Above is the absolute amount, in minor units, above which a change needs votes.
	Above int64
	// Approvals is the number of votes of other users.
	Approvals int
}

// Of reports whether a change of an amount waits for votes.
func (n *MoneyNeeds) Of(amount int64) bool {
	return n != nil && (amount > n.Above || amount < -n.Above)
}

// skew bounds the clock difference between replicas.
const skew = 5 * time.Second

// NeededForMoney returns the votes that changes of a subject that moves money need in the context's
// tenant; nil for none. See ProposeAbove. changed reports whether the rules may have changed after
// the resource's newest version, which was written at the time version, so that a cached response
// may be outdated.
func (s *Service) NeededForMoney(ctx context.Context, subject Subject, version time.Time) (needs *MoneyNeeds, changed bool, err error) {
	rules, err := s.tenancy.Rules(ctx, s.db.Read(ctx))
	return rules.forMoney(subject), rules.Since.Add(skew).After(version), err
}

// lifecycle returns the lifecycle of approvals.
func (s *Service) lifecycle() change.Lifecycle[Approval, *Approval] {
	now := s.clock.Now()
	return change.Lifecycle[Approval, *Approval]{
		Rows: change.Rows[Approval, *Approval]{
			DB: s.db, Label: (*Approval).label, View: func(ctx context.Context, a *Approval) any { return s.listed(ctx, a) }, Find: find,
		},
		Machine:        Machine,
		State:          func(a *Approval) status.State { return a.state(now) },
		StatusRevision: func(a *Approval) change.Revision { return a.StatusRevision },
	}
}

// announce publishes a change of an approval after commit.
func (s *Service) announce(u *uow.Unit, action string, a *Approval) {
	change.Announce(u, s.bus, Topic, strconv.FormatInt(a.ID, 10), events.Change{
		Version: a.Version, ETag: a.Ref().ETag(), Action: action, Status: Machine.Of(a.Status).Name, Label: a.Resource,
	})
}

// entry returns the audit entry of an act on an approval.
func entry(action string, a *Approval, detail map[string]any, note string) uow.Entry {
	if detail == nil {
		detail = map[string]any{}
	}
	a.withEffectiveTime(detail)
	detail["version"], detail["kind"], detail["resource"], detail["digest"] = a.Version, a.Kind, a.Resource, a.Digest
	return uow.Entry{Action: "approval." + action, Resource: a.path(), Detail: detail, Note: note}
}
