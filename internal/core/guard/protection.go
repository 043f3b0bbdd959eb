package guard

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/status"
	"interlock/internal/base/storage"
)

// Proposable is implemented by models with changes that can wait for an approval. Their tables
// have the column proposed, a count, 0 by default.
//
// proposed counts the proposals to change the row since its last change: unless it is 0, a
// pending approval may refer to the row. Propose increments it under the row lock, and each
// change resets it. A unit that changes a row with proposals marks those approvals stale;
// for other rows the unit need not search for approvals.
type Proposable interface{ Proposable() }

// Protectable is implemented by models with rows that can be protected. Their tables also have
// the column protected, false by default.
//
// A protected row changes only in a unit that applies an approval, whichever caller
// requests the change: the condition is part of the statement that writes the row.
//
//	UPDATE t SET … WHERE tenant_id = ? AND id = ? AND version = ? AND protected = ? AND proposed = 0
type Protectable interface {
	Proposable
	Protectable()
}

// Errors of protected rows. Nothing was changed.
var (
	// ErrProtected: the row is protected and the unit applies no approval. Domains check
	// this before they write, so it is a programming error.
	ErrProtected = errors.New("guard: the row is protected and the unit applies no approval")
	// ErrProposed: an approval may refer to the row; the caller retries with UpdateProposed
	// or its siblings.
	ErrProposed = errors.New("guard: a pending approval may name the row")
)

// atVersion is the condition that the row still has the version that its reader read.
const atVersion = "version = ?"

// protection is the part of a write's WHERE clause for protected rows and rows with proposals.
type protection struct {
	// refuseProtected and refuseProposed reject protected rows and rows with proposals.
	refuseProtected, refuseProposed bool
	// clears is set if the write resets the row's count of proposals.
	clears bool
}

func protectionFor[T any](u Unit) protection {
	_, proposable := any(new(T)).(Proposable)
	_, protectable := any(new(T)).(Protectable)
	switch {
	case !proposable:
		return protection{}
	case u.Approval() != 0:
		return protection{clears: true}
	}
	return protection{refuseProtected: protectable, refuseProposed: true}
}

// protectionOfProposed is for writes that mark the approvals of the row stale.
func protectionOfProposed[T Proposable]() protection {
	_, protectable := any(new(T)).(Protectable)
	return protection{refuseProtected: protectable, clears: true}
}

func (p protection) predicate() (condition string, args []any) {
	switch {
	case p.refuseProtected && p.refuseProposed:
		return "protected = ? AND proposed = 0", []any{false}
	case p.refuseProtected:
		return "protected = ?", []any{false}
	case p.refuseProposed:
		return "proposed = 0", nil
	}
	return "", nil
}

// refusal returns the error for an existing row that was not written. query selects the row by the
// write's condition without the protection. If no row matches query, the error is missed; otherwise
// it is ErrProtected or ErrProposed.
func (p protection) refusal(query *gorm.DB, missed error) error {
	if condition, _ := p.predicate(); condition == "" {
		return missed
	}
	columns := []string{"proposed"}
	if p.refuseProtected {
		columns = append(columns, "protected")
	}
	var rows []struct {
		Proposed  int64
		Protected bool
	}
	if err := query.Select(columns).Limit(1).Scan(&rows).Error; err != nil {
		return fmt.Errorf("guard: read the protection of a row: %w", err)
	}
	switch {
	case len(rows) == 0:
		return missed
	case rows[0].Protected:
		return ErrProtected
	}
	return ErrProposed
}

// Propose marks the row that ref names as the subject of a pending approval and locks it
// for the unit, so that every later change of the row sees the approval:
//
//	UPDATE t SET proposed = proposed + 1 WHERE tenant_id = ? AND id = ? AND version = ?
//
// The mark is a count instead of a flag, so that each proposal changes the row: at COMMIT a cluster
// compares only the changed rows of concurrent transactions. With a flag that is already set, a
// proposal and a change of the row on another node could both commit without a conflict. The
// version is unchanged. Errors: ErrDeleted, ErrStale.
func Propose[T Proposable](ctx context.Context, u Unit, ref Ref) error {
	who, tx, table, err := target[T](ctx, u)
	if err != nil {
		return err
	}
	changed, err := storage.Exec(tx, "UPDATE "+table+" SET proposed = proposed + 1 WHERE tenant_id = ? AND id = ? AND version = ?", who.TenantID, ref.ID, ref.Version)
	return requireOneRow[T](tx, changed, err, protection{}, ref.ID, ErrStale, atVersion, ref.Version)
}

// UpdateProposed is Update after ErrProposed. The unit must mark the approvals that refer
// to the row stale. Errors: ErrDeleted, ErrStale, ErrProtected.
func UpdateProposed[T Proposable](ctx context.Context, u Unit, ref Ref, set Set) error {
	return write[T](ctx, u, protectionOfProposed[T](), ref.ID, 1, set, ErrStale, atVersion, ref.Version)
}

// TransitionProposed is Transition after ErrProposed. The unit must mark the approvals that
// refer to the row stale. Errors: ErrDeleted, ErrStale, ErrProtected.
func TransitionProposed[T Proposable](ctx context.Context, u Unit, ref Ref, from, to status.State, set Set) error {
	return transition[T](ctx, u, protectionOfProposed[T](), ref, from, to, set)
}

// TransitionNamed is Transition of a row that open approvals may name, also one that is proposed. It
// reports whether they may name it; the unit then marks them stale. Errors: ErrDeleted, ErrStale,
// ErrProtected.
func TransitionNamed[T Proposable](ctx context.Context, u Unit, ref Ref, from, to status.State, set Set) (named bool, err error) {
	err = Transition[T](ctx, u, ref, from, to, set)
	if errors.Is(err, ErrProposed) {
		return true, TransitionProposed[T](ctx, u, ref, from, to, set)
	}
	return u.Approval() != 0, err
}

// AdjustProposed is Adjust after ErrProposed. The unit must mark the approvals that refer
// to the row stale. Errors: ErrDeleted, ErrRefused, ErrProtected.
func AdjustProposed[T Proposable](ctx context.Context, u Unit, id int64, set Set, condition string, args ...any) error {
	return write[T](ctx, u, protectionOfProposed[T](), id, 1, set, ErrRefused, "("+condition+")", args...)
}

// DeleteProposed is Delete after ErrProposed. The unit must mark the approvals that refer
// to the row stale. Errors: ErrDeleted, ErrStale, ErrProtected.
func DeleteProposed[T Proposable](ctx context.Context, u Unit, ref Ref) error {
	return remove[T](ctx, u, protectionOfProposed[T](), ref)
}
