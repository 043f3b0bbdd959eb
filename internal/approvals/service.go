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

// Topic is where changes of approvals are announced, keyed by id.
const Topic = "approvals"

// Rules are what a tenant has set about approvals.
type Rules struct {
	// Required is how many votes a change takes.
	Required int
	// Lasts is how long one waits for its votes.
	Lasts time.Duration
	// Above are the amounts, in minor units, above which changes that move money wait for votes,
	// by the kind of their Subject. Of a kind that is not there none wait.
	Above map[string]int64
	// Since is when these rules last changed.
	Since time.Time
}

// forMoney is what changes of a subject that move money need; nil for nothing.
func (r Rules) forMoney(subject Subject) *MoneyNeeds {
	above, set := r.Above[subject.Grants().Kind]
	if !set {
		return nil
	}
	return &MoneyNeeds{Above: above, Approvals: r.Required}
}

// Tenancy is what approvals ask about the tenant and its users.
type Tenancy interface {
	// Rules are those of the tenant of the context.
	Rules(ctx context.Context, db *gorm.DB) (Rules, error)
	// StillMay returns those of the users who are enabled and hold a permission. What it
	// says stays so until the unit has ended.
	StillMay(ctx context.Context, u *uow.Unit, users []int64, permission string) (map[int64]bool, error)
	// Resets returns the times since a time at which others gave one of the users another way to
	// sign in, as the unit sees them.
	Resets(ctx context.Context, u *uow.Unit, users []int64, since time.Time) ([]principal.Reset, error)
	// Disabled returns users of the tenant who are disabled, at most so many, and DisabledAmong
	// those of the given ones.
	Disabled(ctx context.Context, limit int) ([]int64, error)
	DisabledAmong(ctx context.Context, users []int64) ([]int64, error)
}

// Deps are what a Service stands on.
type Deps struct {
	DB      *storage.DB
	Runner  *uow.Runner
	Bus     events.Bus
	Clock   clock.Clock
	Tenancy Tenancy
	// Cipher has the key of the digests that are shown.
	Cipher encryption.Cipher
}

// Service is the use cases of approvals. It is safe for concurrent use, once every domain
// has offered itself.
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

// List returns one page of approvals with their votes, the first of their targets and without
// their contents.
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
	return listing, withParts(s.db.Read(ctx), listing.Pointers(), MostSides)
}

// markAbandoned marks the stale approvals whose author is disabled: nobody would be told of them.
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

// History returns one page of an approval's versions, newest first. The contents of those
// that change many resources are left out: together they could be very large.
func (s *Service) History(ctx context.Context, a *Approval, page storage.Page) (storage.Listing[Event], error) {
	query := s.db.Read(ctx)
	if len(a.Targets) > 1 {
		query = query.Omit("content")
	}
	return storage.List[Event](query, page, change.HistorySorts, storage.Whose("approval_id", a.ID))
}

// Needed is how many votes a change of what is protected takes in the context's tenant.
func (s *Service) Needed(ctx context.Context) (int, error) {
	rules, err := s.tenancy.Rules(ctx, s.db.Read(ctx))
	return rules.Required, err
}

// MoneyNeeds is what changes of one kind that move money need beside their author.
type MoneyNeeds struct {
	// Above is the amount, in minor units and whatever its sign, above which they wait.
	Above int64
	// Approvals is how many votes of others they wait for.
	Approvals int
}

// Of reports whether a change of an amount waits for votes.
func (n *MoneyNeeds) Of(amount int64) bool {
	return n != nil && (amount > n.Above || amount < -n.Above)
}

// skew is by how much the clocks of replicas may differ.
const skew = 5 * time.Second

// NeededForMoney is what changes of a subject that move money need in the context's tenant; nil for
// nothing. See ProposeAbove. changed reports whether that may be news to whoever read the resource
// once its newest version, of the given time, was there.
func (s *Service) NeededForMoney(ctx context.Context, subject Subject, version time.Time) (needs *MoneyNeeds, changed bool, err error) {
	rules, err := s.tenancy.Rules(ctx, s.db.Read(ctx))
	return rules.forMoney(subject), rules.Since.Add(skew).After(version), err
}

// lifecycle declares approvals to package change, as they are shown to the context's caller.
func (s *Service) lifecycle(ctx context.Context) change.Lifecycle[Approval, *Approval] {
	now := s.clock.Now()
	return change.Lifecycle[Approval, *Approval]{
		Rows: change.Rows[Approval, *Approval]{
			DB: s.db, Label: (*Approval).label, View: func(a *Approval) any { return s.listed(ctx, a) }, Find: find,
		},
		Machine:        Machine,
		State:          func(a *Approval) status.State { return a.state(now) },
		StatusRevision: func(a *Approval) change.Revision { return a.StatusRevision },
	}
}

// announce tells who waits for changes of an approval, after commit.
func (s *Service) announce(u *uow.Unit, action string, a *Approval) {
	change.Announce(u, s.bus, Topic, strconv.FormatInt(a.ID, 10), events.Change{
		Version: a.Version, ETag: a.Ref().ETag(), Action: action, Status: Machine.Of(a.Status).Name, Label: a.Resource,
	})
}

// entry is the audit entry of an act on an approval.
func entry(action string, a *Approval, detail map[string]any, note string) uow.Entry {
	if detail == nil {
		detail = map[string]any{}
	}
	a.withEffectiveTime(detail)
	detail["version"], detail["kind"], detail["resource"], detail["digest"] = a.Version, a.Kind, a.Resource, a.Digest
	return uow.Entry{Action: "approval." + action, Resource: a.path(), Detail: detail, Note: note}
}
