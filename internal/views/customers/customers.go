// Package customers lists the customers that have orders, exports all stored data of one customer, and
// erases it.
//
// A customer has no row: the shop's id of the customer is in the rows of many tables. An
// erasure replaces the id by a pseudonym that cannot be traced back, blanks texts that
// users wrote about the customer, and deletes the stored replies. Accounting data stays:
// amounts, times, numbers and statuses, and references without the id.
//
// Invariants:
//
//   - Sums are correct at any time: a wallet changes in one unit with its entries, the
//     counterparts of its transfers and its refunds; an aggregate with its audit entries;
//     and an approval with its votes. Other rows change in batches.
//   - An erasure can be interrupted anywhere and resumed: the pseudonym is stored until the
//     last unit, which also writes the only audit entry, and every step skips rows that are
//     already done.
//   - Each run, new or resumed, and the last unit check for open business: anything opened
//     in the meantime stops the last unit, and so does money without a forfeit.
//   - A second run finds nothing and changes nothing.
//   - Afterwards the pseudonym cannot be traced: it is random, tickets and digests derived
//     from the id are replaced, and the last unit deletes the row that connects the two.
//   - The domains declare every column that can name a customer; a test compares them with the
//     schema.
package customers

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/idempotency"
	"interlock/internal/module"
)

// unitTimeout bounds a unit that is not a business mutation.
const unitTimeout = 10 * time.Second

// Deps are the dependencies of a Service.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	// Tables are the declared tables, in the order of erasure.
	Tables  []module.Table
	Replies *idempotency.ReplyStore
	Clock   clock.Clock
	// After is called after each unit of an erasure except the last, and can abort the
	// erasure with an error; nil for none.
	After func() error
	// LockWallets acquires the locks of wallets for a unit.
	LockWallets func(ctx context.Context, u *uow.Unit, wait time.Duration, users ...principal.CustomerID) (context.Context, error)
}

// Service exports and erases customers of the caller's tenant.
type Service struct {
	db     *storage.DB
	tables []table
	// contents are the tables with the shop's content: an id in them is only reported.
	contents []table
	runner   *uow.Runner
	replies  *idempotency.ReplyStore
	clock    clock.Clock
	lock     func(ctx context.Context, u *uow.Unit, wait time.Duration, users ...principal.CustomerID) (context.Context, error)
	after    func() error
}

// New returns a Service.
func New(d Deps) *Service {
	if d.After == nil {
		d.After = func() error { return nil }
	}
	return &Service{db: d.DB, tables: tablesOf(d.Tables, false), contents: tablesOf(d.Tables, true), runner: d.Runner, replies: d.Replies, clock: d.Clock, lock: d.LockWallets, after: d.After}
}

// Erased is the result of an erasure.
type Erased struct {
	// Pseudonym is the customer's new id; "" if no data was stored.
	Pseudonym principal.CustomerID
	// Rows is the number of rows changed by this run.
	Rows int
	// Replies is the result for the stored replies.
	Replies idempotency.Forgotten
	// Left counts rows of the shop's content that contain the id, by table. They are
	// unchanged, because only the shop knows their meaning.
	Left map[string]int
}

// Known counts the rows that are about a customer or contain the id.
func (s *Service) Known(ctx context.Context, customer principal.CustomerID) (rows int, err error) {
	e := newErasure(customer, "\x00", nil)
	for _, t := range append([]table{aggregates, writers, approvals, wallets, entries, settlements}, s.tables...) {
		err = s.each(ctx, t, e, func(row found) error {
			if row.own || len(t.changes(e, row)) > 0 {
				rows++
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// Erase replaces a customer by a pseudonym. forfeit also erases a wallet with money, which
// can then no longer be claimed. Errors: InUse, listing the open business.
//
// A run that is rejected before it starts has changed nothing. A resumed run that is
// rejected, or one rejected by its last unit, is incomplete, and leaves this state:
//
//   - The wallet with its entries, and their refunds, are under the id with all money, and so
//     is each order, refund and approval that was open when the run reached it. They can
//     still be paid, completed, decided and paid out.
//   - Other rows, including those of completed orders, are under the pseudonym. Business
//     that is opened on them, such as a refund of an order, belongs to the pseudonym, and is
//     checked like the customer's.
//   - The row that connects the two stays, so that the next run uses the same pseudonym.
//   - References of entries may contain the pseudonym instead of the id. A repeat of an old
//     request with such a reference, and without its idempotency key, is a new entry; the
//     last unit rejects money that it pays in, like all money without a forfeit.
//
// Business opened under the id after the check of the last unit belongs to a new customer,
// and a second erasure handles it.
func (s *Service) Erase(ctx context.Context, customer principal.CustomerID, forfeit bool) (Erased, error) {
	if !customer.Valid() {
		return Erased{}, apperr.Invalid(apperr.Field{Pointer: "/userId", Code: "pattern", Message: customer.Rule()})
	}
	e, err := s.unfinished(ctx, customer)
	if err != nil {
		return Erased{}, err
	}
	if e != nil {
		if err := s.refuseOpen(ctx, e, forfeit, resumed); err != nil {
			return Erased{Pseudonym: e.pseudonym}, err
		}
	} else {
		known, err := s.Known(ctx, customer)
		if err != nil {
			return Erased{}, err
		}
		if known == 0 {
			// Only stored replies can remain, of requests without other changes.
			replies, err := s.replies.Forget(ctx, customer, "", nil)
			return Erased{Replies: replies}, err
		}
		if err := s.refuseOpen(ctx, newErasure(customer, "\x00", nil), forfeit, notStarted); err != nil {
			return Erased{}, err
		}
		if e, err = s.begin(ctx, customer); err != nil {
			return Erased{}, err
		}
	}
	done := Erased{Pseudonym: e.pseudonym}
	for _, step := range []func(context.Context, *erasure) (int, error){s.eraseAggregates, s.eraseApprovals, s.eraseTables} {
		rows, err := step(ctx, e)
		done.Rows += rows
		if err != nil {
			return done, err
		}
	}
	about, err := s.resources(ctx, e)
	if err != nil {
		return done, err
	}
	if done.Replies, err = s.replies.Forget(ctx, customer, e.pseudonym, about); err != nil {
		return done, err
	}
	rows, err := s.eraseMoney(ctx, e, forfeit)
	if done.Rows += rows; err != nil {
		return done, err
	}
	done.Left, err = s.left(ctx, e)
	return done, err
}

// resources returns the paths of the customer's resources, such as orders/17.
func (s *Service) resources(ctx context.Context, e *erasure) (map[string]bool, error) {
	tenant, _ := principal.From(ctx)
	const statement = `SELECT CONCAT('orders/', id) FROM orders WHERE tenant_id = ? AND user_id IN (?, ?)
		UNION SELECT CONCAT('refunds/', id) FROM refunds WHERE tenant_id = ? AND user_id IN (?, ?)
		UNION SELECT CONCAT('payments/', id) FROM payments WHERE tenant_id = ? AND user_id IN (?, ?)
		UNION SELECT CONCAT('returns/', id) FROM returns WHERE tenant_id = ? AND user_id IN (?, ?)
		UNION SELECT CONCAT('approvals/', id) FROM approvals WHERE tenant_id = ? AND resource IN (?, ?)
		UNION SELECT CONCAT('work-orders/', work_order_id) FROM work_order_links WHERE tenant_id = ? AND resource IN (?, ?)`
	theirs, wallet := []any{tenant.TenantID, e.id, e.pseudonym}, append([]any{tenant.TenantID}, e.paths()...)
	var paths []string
	if err := s.db.Read(ctx).Raw(statement, slices.Concat(theirs, theirs, theirs, theirs, wallet, wallet)...).Scan(&paths).Error; err != nil {
		return nil, fmt.Errorf("find the customer's resources: %w", err)
	}
	about := make(map[string]bool, len(paths))
	for _, path := range paths {
		about[path] = true
	}
	return about, nil
}

// unfinished returns the incomplete erasure of a customer; nil if there is none.
func (s *Service) unfinished(ctx context.Context, customer principal.CustomerID) (*erasure, error) {
	tenant, _ := principal.From(ctx)
	var rows []struct {
		Pseudonym principal.CustomerID
		Secret    []byte
	}
	err := s.db.Write(ctx).Raw("SELECT pseudonym, secret FROM customer_erasures WHERE tenant_id = ? AND user_id = ?", tenant.TenantID, customer).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return newErasure(customer, rows[0].Pseudonym, rows[0].Secret), nil
}

// begin stores a pseudonym for a customer until the erasure ends. Of two concurrent runs
// both use the first one's.
func (s *Service) begin(ctx context.Context, customer principal.CustomerID) (*erasure, error) {
	tenant, _ := principal.From(ctx)
	// crypto/rand ends the program instead of returning an error.
	word, secret := make([]byte, 15), make([]byte, 32)
	_, _ = rand.Read(word)
	_, _ = rand.Read(secret)
	pseudonym := "erased-" + strings.ToLower(base32.StdEncoding.EncodeToString(word))
	err := s.db.Write(ctx).Exec("INSERT INTO customer_erasures (tenant_id, user_id, pseudonym, secret, begun_time) VALUES (?, ?, ?, ?, ?)",
		tenant.TenantID, customer, pseudonym, secret, s.clock.Now()).Error
	if err != nil && !storage.Is(err, storage.DuplicateKey) {
		return nil, fmt.Errorf("begin to erase the customer: %w", err)
	}
	return s.unfinished(ctx, customer)
}

// eraseTables changes the rows of all tables, except those with rows that change together with
// rows of other tables.
func (s *Service) eraseTables(ctx context.Context, e *erasure) (rows int, err error) {
	for _, t := range s.tables {
		err := s.walk(ctx, t, e, func(hits []found) error {
			changed, err := s.change(ctx, t, e, hits)
			rows += changed
			return err
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// change changes some rows in one unit, and returns their number.
func (s *Service) change(ctx context.Context, t table, e *erasure, hits []found) (changed int, err error) {
	sets := make([]map[string]any, len(hits))
	for i, row := range hits {
		sets[i] = t.changes(e, row)
	}
	if !slices.ContainsFunc(sets, func(set map[string]any) bool { return len(set) > 0 }) {
		return 0, nil
	}
	tenant, _ := principal.From(ctx)
	err = s.db.Transact(ctx, unitTimeout, func(tx *gorm.DB) error {
		changed = 0
		for i, row := range hits {
			if len(sets[i]) == 0 {
				continue
			}
			done, err := t.update(tx, tenant.TenantID, row, sets[i])
			if err != nil {
				return err
			}
			if done {
				changed++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return changed, s.after()
}

// left counts the rows of the shop's content that name the customer.
func (s *Service) left(ctx context.Context, e *erasure) (map[string]int, error) {
	left := map[string]int{}
	for _, t := range s.contents {
		err := s.each(ctx, t, e, func(row found) error {
			if len(t.changes(e, row)) > 0 {
				left[t.name]++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return left, nil
}
