package wallets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
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

const (
	kindEntry    = ApprovalKind + ".entry"
	kindTransfer = ApprovalKind + ".transfer"
)

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

// proposedTransfer is a transfer as an approval holds it. It is bound to no version either.
type proposedTransfer struct {
	FromUserID principal.CustomerID `json:"fromUserId"`
	ToUserID   principal.CustomerID `json:"toUserId"`
	Amount     int64                `json:"amount"`
	Reference  string               `json:"reference"`
}

// proposeIfRequired reports whether the entries of a movement may be made now. One that somebody
// makes by hand, and that brings the sum of the author's entries on one of the wallets above the
// tenant's threshold, is proposed as an approval, unless the unit applies one. Every entry passes
// it, whatever route requests it.
func (s *Service) proposeIfRequired(ctx context.Context, u *uow.Unit, entries []*Entry) (bool, error) {
	if !entries[0].byHand() {
		return true, nil
	}
	amount := func() (largest int64, err error) {
		for _, e := range entries {
			sum, err := s.sumWith(ctx, u, e)
			if err != nil {
				return 0, err
			}
			largest = max(largest, sum)
		}
		return largest, nil
	}
	return s.approvals.ProposeAbove(ctx, u, subject{s}, amount, func() (approvals.Proposal, error) { return proposalOf(entries) })
}

// sumWith is what an entry and the latest ones of its author on the wallet amount to, whatever
// their signs.
func (s *Service) sumWith(ctx context.Context, u *uow.Unit, e *Entry) (int64, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return 0, err
	}
	caller, _ := principal.From(ctx)
	sum, err := recentSum(tx, e.UserID, caller.Users(), u.Now())
	if total := sum + math.Abs(float64(e.Amount)); total < 1<<53 {
		return int64(total), err
	}
	return math.MaxInt64, err
}

// proposalOf is a movement as it waits for an approval.
func proposalOf(entries []*Entry) (p approvals.Proposal, err error) {
	e := entries[0]
	p = approvals.Proposal{Kind: kindEntry, Resource: resource(e.UserID)}
	for _, side := range entries {
		p.Targets = append(p.Targets, resource(side.UserID))
	}
	if e.OtherUserID != nil {
		p.Kind = kindTransfer
		p.Content, err = strictjson.Encode(proposedTransfer{e.UserID, *e.OtherUserID, -e.Amount, e.Reference})
		return p, err
	}
	p.Content, err = strictjson.Encode(proposedEntry{UserID: e.UserID, Amount: e.Amount, Kind: e.Kind, Reference: e.Reference})
	return p, err
}

// needs is what entries that the caller makes by hand in a wallet need; nil for nothing. What the
// caller has entered within 24 hours is taken off the threshold. See approvals.NeededForMoney.
func (s *Service) needs(ctx context.Context, w *Wallet) (needs *approvals.MoneyNeeds, changed bool, err error) {
	needs, changed, err = s.approvals.NeededForMoney(ctx, subject{s}, w.UpdatedTime)
	if err != nil || needs == nil {
		return nil, changed, err
	}
	caller, _ := principal.From(ctx)
	now := s.clock.Now()
	sum, err := recentSum(s.db.Read(ctx), w.UserID, caller.Users(), now)
	if sum >= float64(needs.Above) {
		needs.Above = 0
	} else {
		needs.Above -= int64(sum)
	}
	// The sum falls as time passes, while the wallet stays as it is.
	return needs, changed || sum > 0 || now.Sub(w.UpdatedTime) < 2*sumWindow, err
}

// subject lets entries of wallets wait for approvals.
type subject struct{ *Service }

// Grants implements approvals.Subject.
func (subject) Grants() approvals.Grants {
	return approvals.Grants{Kind: ApprovalKind, Path: resource(""), Unbound: true, Read: ReadPermission, Write: writePermission}
}

// decode reads the entries that proposalOf has proposed.
func decode(p approvals.Proposal) ([]*Entry, error) {
	var e proposedEntry
	var t proposedTransfer
	into := any(&e)
	if p.Kind == kindTransfer {
		into = &t
	}
	if err := json.Unmarshal(p.Content, into); err != nil {
		return nil, fmt.Errorf("read the entries that are proposed: %w", err)
	}
	if p.Kind == kindTransfer {
		return Transfer(t).sides(), nil
	}
	return []*Entry{e.entry()}, nil
}

// Lock implements approvals.Subject: the wallets, as for every entry.
func (s subject) Lock(ctx context.Context, u *uow.Unit, p approvals.Proposal) (context.Context, error) {
	entries, err := decode(p)
	if err != nil {
		return ctx, err
	}
	var users []principal.CustomerID
	for _, e := range entries {
		users = append(users, e.UserID)
	}
	return s.Service.Lock(ctx, u, approvedWait, users...)
}

// Apply implements approvals.Subject. A movement that was made in another way since is not made
// again, and the approval is no approval of that one.
func (s subject) Apply(ctx context.Context, u *uow.Unit, p approvals.Proposal) error {
	entries, err := decode(p)
	if err != nil {
		return err
	}
	var first bool
	if e := entries[0]; e.OtherUserID != nil {
		_, _, first, err = s.transfer(ctx, u, Transfer{FromUserID: e.UserID, ToUserID: *e.OtherUserID, Amount: -e.Amount, Reference: e.Reference})
	} else {
		_, first, err = s.enter(ctx, u, e)
	}
	if isImpossible(err) || err == nil && !first {
		return approvals.ErrStaleBase
	}
	return err
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
	entries, err := decode(p)
	if err != nil {
		return p, err
	}
	there := 0
	for _, e := range entries {
		wallet, made, err := findForEntry(tx, e.UserID, e.Reference)
		switch {
		case err != nil:
			return p, err
		case made != nil && made.same(e):
			there++
		case made != nil || wallet.check(e.Amount) != nil:
			return p, approvals.ErrStaleBase
		}
	}
	if there == len(entries) {
		return p, approvals.ErrNoChange
	}
	return p, nil
}

// Conflict implements approvals.Subject. The sentence names no balance: who may not read the
// wallet reads it too.
func (s subject) Conflict(ctx context.Context, p approvals.Proposal) (conflict approvals.Conflict, err error) {
	entries, err := decode(p)
	if err != nil {
		return conflict, err
	}
	for _, e := range entries {
		if conflict, err = s.conflictOf(ctx, e); err != nil || conflict.Stale {
			break
		}
	}
	return conflict, err
}

// conflictOf is why an entry cannot be made.
func (s subject) conflictOf(ctx context.Context, e *Entry) (approvals.Conflict, error) {
	wallet, made, err := findForEntry(s.db.Read(ctx), e.UserID, e.Reference)
	if err != nil {
		return approvals.Conflict{}, err
	}
	conflict := approvals.Conflict{Stale: true, Members: map[string]any{}}
	if wallet.Version > 0 {
		conflict.Members = guard.Conflict{Resource: wallet.Label(), Current: wallet.Stamp(), CurrentView: viewOf(*wallet)}.Error().Members
	}
	switch {
	case made != nil && made.same(e):
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
func (s subject) Sides(ctx context.Context, p approvals.Proposal) (sides []approvals.Comparison, err error) {
	entries, err := decode(p)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		side, err := s.side(ctx, e)
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	return sides, nil
}

func (s subject) side(ctx context.Context, e *Entry) (approvals.Comparison, error) {
	side := approvals.Comparison{Resource: resource(e.UserID)}
	wallet, made, err := findForEntry(s.db.Read(ctx), e.UserID, e.Reference)
	if err != nil {
		return side, err
	}
	proposed := proposedView{proposedEntry: proposedEntry{e.UserID, e.Amount, e.Kind, e.Reference}}
	if made != nil {
		side.Current = proposedView{proposedEntry{made.UserID, made.Amount, made.Kind, made.Reference}, &made.Balance}
		side.Proposed = side.Current
		if !made.same(e) {
			side.Proposed = proposed
		}
		return side, nil
	}
	if wallet.check(e.Amount) == nil {
		left := wallet.Balance + e.Amount
		proposed.Balance = &left
	}
	side.Proposed = proposed
	return side, nil
}
