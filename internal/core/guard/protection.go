package guard

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/status"
	"interlock/internal/base/storage"
)

// Proposable is implemented by models whose changes can wait for an approval. Their tables have
// the column proposed, a count, 0 unless set.
//
// proposed is how often the row was proposed to be changed since its last change: unless it is
// 0, a pending approval may name the row. Propose counts under the row's lock, and each change
// begins anew. Who changes such a row makes those approvals stale in the same unit; who changes
// another one is spared to look for any.
type Proposable interface{ Proposable() }

// Protectable is implemented by models whose rows can be protected. Their tables have the column
// protected too, false unless set.
//
// A protected row changes only in a unit that carries an applied approval, whatever asks
// for the change: the condition is part of the statement that writes the row.
//
//	UPDATE t SET … WHERE tenant_id = ? AND id = ? AND version = ? AND protected = ? AND proposed = 0
type Protectable interface {
	Proposable
	Protectable()
}

// What the protection of a row refuses. Nothing was changed.
var (
	// ErrProtected: the row is protected and the unit carries no applied approval. Domains
	// ask before they write, so it is a programming error.
	ErrProtected = errors.New("guard: the row is protected and the unit applies no approval")
	// ErrProposed: an approval may name the row; UpdateProposed and those beside it go on.
	ErrProposed = errors.New("guard: a pending approval may name the row")
)

// atVersion is the condition of a row at the version that its reader saw.
const atVersion = "version = ?"

// protection is what a write asks of a row beside its condition.
type protection struct {
	// protected rows are refused, and those that a pending approval may name.
	refuseProtected, refuseProposed bool
	// clears is set when the write ends what pending approvals the row may have.
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

// protectionOfProposed is that of a write which makes the approvals that name the row stale.
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

// refusal says why a row was not written that is there: missed when the write's condition,
// which query asks for, does not hold.
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

// Propose marks the row that ref names as one that a pending approval names, and locks it
// for the unit, so that whoever changes it later sees the approval:
//
//	UPDATE t SET proposed = proposed + 1 WHERE tenant_id = ? AND id = ? AND version = ?
//
// It counts, so that each proposal changes something: a cluster certifies at COMMIT what a
// transaction has changed, and would let one that found its row marked already, and the change
// of that row on another node, both commit without seeing each other. The row's version stays.
// Errors: ErrGone, ErrStale.
func Propose[T Proposable](ctx context.Context, u Unit, ref Ref) error {
	who, tx, table, err := target[T](ctx, u)
	if err != nil {
		return err
	}
	changed, err := storage.Exec(tx, "UPDATE "+table+" SET proposed = proposed + 1 WHERE tenant_id = ? AND id = ? AND version = ?", who.TenantID, ref.ID, ref.Version)
	return requireOneRow[T](tx, changed, err, protection{}, ref.ID, ErrStale, atVersion, ref.Version)
}

// UpdateProposed is Update of a row that was refused with ErrProposed. The unit makes the
// approvals that name the row stale. Errors: ErrGone, ErrStale, ErrProtected.
func UpdateProposed[T Proposable](ctx context.Context, u Unit, ref Ref, set Set) error {
	return write[T](ctx, u, protectionOfProposed[T](), ref.ID, 1, set, ErrStale, atVersion, ref.Version)
}

// TransitionProposed is Transition of a row that was refused with ErrProposed. The unit makes the
// approvals that name the row stale. Errors: ErrGone, ErrStale, ErrProtected.
func TransitionProposed[T Proposable](ctx context.Context, u Unit, ref Ref, from, to status.State, set Set) error {
	return transition[T](ctx, u, protectionOfProposed[T](), ref, from, to, set)
}

// AdjustProposed is Adjust of a row that was refused with ErrProposed. The unit makes the
// approvals that name the row stale. Errors: ErrGone, ErrRefused, ErrProtected.
func AdjustProposed[T Proposable](ctx context.Context, u Unit, id int64, set Set, condition string, args ...any) error {
	return write[T](ctx, u, protectionOfProposed[T](), id, 1, set, ErrRefused, "("+condition+")", args...)
}

// DeleteProposed is Delete of a row that was refused with ErrProposed. The unit makes the
// approvals that name the row stale. Errors: ErrGone, ErrStale, ErrProtected.
func DeleteProposed[T Proposable](ctx context.Context, u Unit, ref Ref) error {
	return remove[T](ctx, u, protectionOfProposed[T](), ref)
}
