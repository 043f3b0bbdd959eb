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

// ApprovalKind is the prefix of the kinds of approvals of wallet entries.
const ApprovalKind = "wallet"

const (
	kindEntry    = ApprovalKind + ".entry"
	kindTransfer = ApprovalKind + ".transfer"
)

// approvedWait bounds the wait of a last vote's unit for the wallet's lock.
const approvedWait = 3 * time.Second

// proposedEntry is an entry in the format of an approval. It is bound to no version of its wallet,
// because the wallet may get other entries while the proposal waits. The reference makes the entry
// unique, and Apply checks the balance.
type proposedEntry struct {
	UserID    principal.CustomerID `json:"userId"`
	Amount    int64                `json:"amount"`
	Kind      string               `json:"kind"`
	Reference string               `json:"reference"`
}

func (e proposedEntry) entry() *Entry {
	return &Entry{UserID: e.UserID, Amount: e.Amount, Kind: e.Kind, Reference: e.Reference}
}

// proposedTransfer is a transfer in the format of an approval, also bound to no version.
type proposedTransfer struct {
	FromUserID principal.CustomerID `json:"fromUserId"`
	ToUserID   principal.CustomerID `json:"toUserId"`
	Amount     int64                `json:"amount"`
	Reference  string               `json:"reference"`
}

// proposeIfRequired reports whether the entries of a movement may be made now. A movement by hand
// that raises the sum of the author's entries on one of the wallets above the tenant's threshold is
// proposed as an approval, unless the unit applies an approval. The entries of every route pass
// through proposeIfRequired.
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

// sumWith returns the sum of the absolute amounts of an entry and of the author's entries on the
// wallet within sumWindow.
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

// proposalOf returns the proposal of a movement.
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

// needs returns the votes that the caller's entries by hand in a wallet need; nil for none. The
// field Above is reduced by the caller's entries of the last 24 hours. See
// approvals.NeededForMoney.
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
	// The sum decreases with time, even if the wallet is unchanged.
	return needs, changed || sum > 0 || now.Sub(w.UpdatedTime) < 2*sumWindow, err
}

// subject is the approvals.Subject of wallet entries.
type subject struct{ *Service }

// Grants implements approvals.Subject.
func (subject) Grants() approvals.Grants {
	return approvals.Grants{Kind: ApprovalKind, Path: resource(""), Unbound: true, Read: ReadPermission, Write: writePermission}
}

// decode decodes the entries of a proposal, which proposalOf has encoded.
func decode(p approvals.Proposal) ([]*Entry, error) {
	var e proposedEntry
	var t proposedTransfer
	into := any(&e)
	if p.Kind == kindTransfer {
		into = &t
	}
	if err := json.Unmarshal(p.Content, into); err != nil {
		return nil, fmt.Errorf("decode the proposed entries: %w", err)
	}
	if p.Kind == kindTransfer {
		return Transfer(t).sides(), nil
	}
	return []*Entry{e.entry()}, nil
}

// Lock implements approvals.Subject: it acquires the locks of the wallets.
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

// Apply implements approvals.Subject. If the movement has already been made outside the approval,
// the approval becomes stale.
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

// isImpossible reports whether an entry was rejected because of the wallet's state: too little, an
// overflow, or another entry with the reference.
func isImpossible(err error) bool {
	var rejection *apperr.Error
	return errors.As(err, &rejection) && (rejection.Code == apperr.InsufficientBalance || rejection.Code == apperr.PayloadMismatch || rejection.Code == apperr.ValidationFailed)
}

// Revise implements approvals.Subject. A patch cannot edit an entry.
func (subject) Revise(_ context.Context, _ *uow.Unit, p approvals.Proposal, _ json.RawMessage) (approvals.Proposal, error) {
	return p, approvals.Unrevisable()
}

// Rebase implements approvals.Subject: an entry that has become possible again is proposed again.
func (s subject) Rebase(ctx context.Context, u *uow.Unit, p approvals.Proposal) (approvals.Proposal, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return p, err
	}
	entries, err := decode(p)
	if err != nil {
		return p, err
	}
	existing := 0
	for _, e := range entries {
		wallet, made, err := findForEntry(tx, e.UserID, e.Reference)
		switch {
		case err != nil:
			return p, err
		case made != nil && made.same(e):
			existing++
		case made != nil || wallet.check(ctx, e.Amount) != nil:
			return p, approvals.ErrStaleBase
		}
	}
	if existing == len(entries) {
		return p, approvals.ErrNoChange
	}
	return p, nil
}

// Conflict implements approvals.Subject. The detail contains no balance, because callers who may
// not read the wallet see it too.
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

// conflictOf returns the reason why an entry cannot be made.
func (s subject) conflictOf(ctx context.Context, e *Entry) (approvals.Conflict, error) {
	wallet, made, err := findForEntry(s.db.Read(ctx), e.UserID, e.Reference)
	if err != nil {
		return approvals.Conflict{}, err
	}
	conflict := approvals.Conflict{Stale: true, Members: map[string]any{}}
	if wallet.Version > 0 {
		conflict.Members = guard.Conflict{Resource: wallet.Label(), Current: wallet.Stamp(), CurrentView: viewOf(ctx, *wallet)}.Error().Members
	}
	switch {
	case made != nil && made.same(e):
		conflict.Detail = fmt.Sprintf("%s made the entry %q %s, outside this approval.", made.CreatedByName, made.Reference, made.CreatedTime.UTC().Format("on 2006-01-02 at 15:04 UTC"))
	case made != nil:
		conflict.Detail = fmt.Sprintf("%s made another entry with the reference %q %s.", made.CreatedByName, made.Reference, made.CreatedTime.UTC().Format("on 2006-01-02 at 15:04 UTC"))
	case wallet.check(ctx, e.Amount) == nil:
		return approvals.Conflict{Detail: "The entry can be made.", Members: map[string]any{}}, nil
	case e.Amount < 0:
		conflict.Detail = wallet.Label() + " has less than the entry debits."
	default:
		conflict.Detail = wallet.Label() + " would exceed the largest possible amount with the entry."
	}
	return conflict, nil
}

// Show implements approvals.Subject.
func (subject) Show(_ context.Context, p approvals.Proposal) (approvals.Rendered, error) {
	return approvals.ShownAs(p.Content), nil
}

// proposedView is an entry with the resulting balance; null if the entry is not possible.
type proposedView struct {
	proposedEntry
	Balance *int64 `json:"balance"`
}

// Sides implements approvals.Subject. An entry has no base.
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
	if wallet.check(ctx, e.Amount) == nil {
		left := wallet.Balance + e.Amount
		proposed.Balance = &left
	}
	side.Proposed = proposed
	return side, nil
}
