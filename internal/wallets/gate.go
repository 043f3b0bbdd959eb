package wallets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// ApprovalKind is what the kinds of approvals of wallet entries begin with.
const ApprovalKind = "wallet"

const kindEntry = ApprovalKind + ".entry"

// approvedWait is how long the unit of a last vote waits for the wallet's lock.
const approvedWait = 3 * time.Second

// proposedEntry is an entry as an approval holds it. It is bound to no version of its wallet,
// which may have many other entries while it waits: its reference makes it once, and whether
// the balance suffices is asked when it is made.
type proposedEntry struct {
	UserID    principal.CustomerID `json:"userId"`
	Amount    int64                `json:"amount"`
	Kind      string               `json:"kind"`
	Reference string               `json:"reference"`
}

func (e proposedEntry) entry() *Entry {
	return &Entry{UserID: e.UserID, Amount: e.Amount, Kind: e.Kind, Reference: e.Reference}
}

// proposeIfRequired reports whether an entry may be made now. One that somebody makes by hand and
// whose amount is above the tenant's threshold is proposed as an approval, unless the unit applies
// one. Every entry passes it, whatever route asks for it.
func (s *Service) proposeIfRequired(ctx context.Context, u *uow.Unit, e *Entry) (bool, error) {
	if !e.byHand() {
		return true, nil
	}
	return s.approvals.ProposeAbove(ctx, u, e.Amount, subject{s}, func() (approvals.Proposal, error) {
		path := resource(e.UserID)
		p := approvals.Proposal{Kind: kindEntry, Resource: path, Targets: []string{path}}
		var err error
		p.Content, err = strictjson.Encode(proposedEntry{UserID: e.UserID, Amount: e.Amount, Kind: e.Kind, Reference: e.Reference})
		return p, err
	})
}

// needs is what entries of a wallet that somebody makes by hand need; nil for nothing. See
// approvals.NeededForMoney.
func (s *Service) needs(ctx context.Context, w *Wallet) (needs *approvals.MoneyNeeds, changed bool, err error) {
	return s.approvals.NeededForMoney(ctx, subject{s}, w.UpdatedTime)
}

// subject lets entries of wallets wait for approvals.
type subject struct{ *Service }

// Grants implements approvals.Subject.
func (subject) Grants() approvals.Grants {
	return approvals.Grants{Kind: ApprovalKind, Path: resource(""), Unbound: true, Read: ReadPermission, Write: writePermission}
}

// decode reads what proposeIfRequired has proposed.
func decode(p approvals.Proposal) (e proposedEntry, err error) {
	if err := json.Unmarshal(p.Content, &e); err != nil {
		return e, fmt.Errorf("read the entry that is proposed: %w", err)
	}
	return e, nil
}

// Lock implements approvals.Subject: the wallet, as for every entry.
func (s subject) Lock(ctx context.Context, u *uow.Unit, p approvals.Proposal) (context.Context, error) {
	e, err := decode(p)
	if err != nil {
		return ctx, err
	}
	return s.Service.Lock(ctx, u, approvedWait, e.UserID)
}

// Apply implements approvals.Subject. An entry that was made in another way since is not made
// again, and the approval is no approval of that one.
func (s subject) Apply(ctx context.Context, u *uow.Unit, p approvals.Proposal) error {
	e, err := decode(p)
	if err != nil {
		return err
	}
	entry, first, err := s.post(ctx, u, e.entry())
	switch {
	case isImpossible(err), err == nil && !first:
		return approvals.ErrStaleBase
	case err != nil:
		return err
	}
	u.Audit(auditOf(entry))
	return nil
}

// isImpossible reports whether an entry was refused for what the wallet has: too little, too
// much to count, or another entry with the reference.
func isImpossible(err error) bool {
	var refused *apperr.Error
	return errors.As(err, &refused) && (refused.Code == apperr.InsufficientBalance || refused.Code == apperr.PayloadMismatch || refused.Code == apperr.ValidationFailed)
}

// Revise implements approvals.Subject: an entry is no edit, and cannot be given a patch.
func (subject) Revise(_ context.Context, _ *uow.Unit, p approvals.Proposal, _ json.RawMessage) (approvals.Proposal, error) {
	return p, approvals.Unrevisable()
}

// Rebase implements approvals.Subject: an entry that has become possible again waits anew.
func (s subject) Rebase(ctx context.Context, u *uow.Unit, p approvals.Proposal) (approvals.Proposal, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return p, err
	}
	e, err := decode(p)
	if err != nil {
		return p, err
	}
	wallet, made, err := findForEntry(tx, e.UserID, e.Reference)
	if err != nil {
		return p, err
	}
	if made != nil && made.same(e.entry()) {
		return p, approvals.ErrNoChange
	}
	if made != nil || wallet.check(e.Amount) != nil {
		return p, approvals.ErrStaleBase
	}
	return p, nil
}

// Conflict implements approvals.Subject. The sentence names no balance: who may not read the
// wallet reads it too.
func (s subject) Conflict(ctx context.Context, p approvals.Proposal) (approvals.Conflict, error) {
	e, err := decode(p)
	if err != nil {
		return approvals.Conflict{}, err
	}
	wallet, made, err := findForEntry(s.db.Read(ctx), e.UserID, e.Reference)
	if err != nil {
		return approvals.Conflict{}, err
	}
	conflict := approvals.Conflict{Stale: true, Members: map[string]any{}}
	if wallet.Version > 0 {
		conflict.Members = guard.Conflict{Resource: wallet.Label(), Current: wallet.Stamp(), CurrentView: viewOf(*wallet)}.Error().Members
	}
	switch {
	case made != nil && made.same(e.entry()):
		conflict.Detail = fmt.Sprintf("%s made the entry %q %s, in another way.", made.CreatedByName, made.Reference, made.CreatedTime.UTC().Format("on 2006-01-02 at 15:04 UTC"))
	case made != nil:
		conflict.Detail = fmt.Sprintf("%s made another entry with the reference %q %s.", made.CreatedByName, made.Reference, made.CreatedTime.UTC().Format("on 2006-01-02 at 15:04 UTC"))
	case wallet.check(e.Amount) == nil:
		return approvals.Conflict{Detail: "The entry can be made.", Members: map[string]any{}}, nil
	case e.Amount < 0:
		conflict.Detail = wallet.Label() + " has less than the entry takes."
	default:
		conflict.Detail = wallet.Label() + " has so much that the entry would exceed the largest possible amount."
	}
	return conflict, nil
}

// Show implements approvals.Subject.
func (subject) Show(_ context.Context, p approvals.Proposal) (approvals.Rendered, error) {
	return approvals.ShownAs(p.Content), nil
}

// proposedView is an entry with the balance that it would leave now; null when it would leave
// one that is not possible.
type proposedView struct {
	proposedEntry
	Balance *int64 `json:"balance"`
}

// Sides implements approvals.Subject: there is no entry before it is made.
func (s subject) Sides(ctx context.Context, p approvals.Proposal) ([]approvals.Comparison, error) {
	e, err := decode(p)
	if err != nil {
		return nil, err
	}
	side := approvals.Comparison{Resource: p.Resource}
	wallet, made, err := findForEntry(s.db.Read(ctx), e.UserID, e.Reference)
	if err != nil {
		return nil, err
	}
	if made != nil {
		side.Current = proposedView{proposedEntry{made.UserID, made.Amount, made.Kind, made.Reference}, &made.Balance}
		side.Proposed = side.Current
		if !made.same(e.entry()) {
			side.Proposed = proposedView{e, nil}
		}
		return []approvals.Comparison{side}, nil
	}
	view := proposedView{proposedEntry: e}
	if wallet.check(e.Amount) == nil {
		left := wallet.Balance + e.Amount
		view.Balance = &left
	}
	side.Proposed = view
	return []approvals.Comparison{side}, nil
}
