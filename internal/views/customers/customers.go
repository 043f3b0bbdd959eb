// Package customers exports all that is kept of one customer, and erases them.
//
// A customer has no row of their own: they are an id of the shop's in the rows of many tables. Erasing
// puts a pseudonym in its place that nobody can trace back, blanks what people wrote about them,
// and takes the replies that are kept for them. What an accountant needs stays: amounts, times,
// numbers and statuses, and references in which the id is not.
//
// Invariants:
//
//   - What is added up stays true at every moment: a wallet with its entries, the counterparts of
//     its transfers and its refunds changes in one unit, and so does an aggregate with its audit
//     entries, and an approval with its votes. Everything else changes some rows at a time.
//   - It can end anywhere and be begun again: the pseudonym is kept until the last unit, which
//     also leaves the one audit entry, and every step leaves alone what it has done.
//   - What is under way is asked about before each run, begun or resumed, and again in the last
//     unit: what was opened meanwhile refuses there, and so does money that nobody forfeited.
//   - A second run finds nothing and changes nothing.
//   - Nothing of it remains to trace the pseudonym by: it is random, tickets and digests that are
//     made from the id become others, and the row that connects the two goes with the last unit.
//   - tables has every column that can name a customer; a test holds it against the schema.
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
)

// unitLife bounds a unit that is no business mutation.
const unitLife = 10 * time.Second

// Deps are what a Service stands on.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Keeper *idempotency.Keeper
	Clock  clock.Clock
	// After is called after each unit but the last of an erasure, which ends there with its error;
	// nil for nothing.
	After func() error
	// LockWallets takes the locks of wallets for a unit.
	LockWallets func(ctx context.Context, u *uow.Unit, wait time.Duration, users ...principal.CustomerID) (context.Context, error)
}

// Service exports and erases customers of the caller's tenant.
type Service struct {
	db     *storage.DB
	runner *uow.Runner
	keeper *idempotency.Keeper
	clock  clock.Clock
	lock   func(ctx context.Context, u *uow.Unit, wait time.Duration, users ...principal.CustomerID) (context.Context, error)
	after  func() error
}

// New returns a Service.
func New(d Deps) *Service {
	if d.After == nil {
		d.After = func() error { return nil }
	}
	return &Service{db: d.DB, runner: d.Runner, keeper: d.Keeper, clock: d.Clock, lock: d.LockWallets, after: d.After}
}

// Erased says what became of an erasure.
type Erased struct {
	// Pseudonym is what the customer is called now; "" when nothing was known of them.
	Pseudonym principal.CustomerID
	// Rows is how many rows were changed by this run.
	Rows int
	// Replies is what became of the replies that were kept for them.
	Replies idempotency.Forgotten
	// Left are rows of the shop's own content that have the id in them, by table. They are
	// not changed: nobody but the shop knows what they mean.
	Left map[string]int
}

// Known counts the rows that are about a customer or have their id in them.
func (s *Service) Known(ctx context.Context, customer principal.CustomerID) (rows int, err error) {
	e := newErasure(customer, "\x00", nil)
	for _, t := range append([]table{aggregates, writers, approvals, wallets, entries, settlements}, tables...) {
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

// Erase replaces a customer by a pseudonym. forfeit takes a wallet with money in it too, which
// nobody can claim any more. Errors: InUse with the sentences that say what has not ended.
//
// A run that is refused before it begins has changed nothing. One that is resumed and refused, or
// is refused by its last unit, is half done, and this is what it leaves:
//
//   - The wallet with its entries, and their refunds, are under their id with all their money, and so
//     is each order, refund and approval that was under way when the run came to it. They can be
//     paid, completed, decided and paid out as ever.
//   - Other rows, of orders that had ended too, are under the pseudonym. What is opened on one of
//     those, such as a refund of an order, is the pseudonym's, and is asked about as their own is.
//   - The row that connects the two stays, so that the next run goes on under the same pseudonym.
//   - References of entries may have the pseudonym in place of the id. A repeat of an old request
//     with such a reference, and without its idempotency key, is a new entry; what it pays in is
//     refused by the last unit like all money that nobody forfeited.
//
// What is opened under their id after the last unit has looked is that of somebody new, and a
// second erasure takes it.
func (s *Service) Erase(ctx context.Context, customer principal.CustomerID, forfeit bool) (Erased, error) {
	if !customer.Valid() {
		return Erased{}, apperr.Invalid(apperr.Field{Pointer: "/userId", Code: "pattern", Message: customer.Rule()})
	}
	e, err := s.begun(ctx, customer)
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
			// Replies alone can be left, of requests that changed nothing else.
			replies, err := s.keeper.Forget(ctx, customer, "", nil)
			return Erased{Replies: replies}, err
		}
		if err := s.refuseOpen(ctx, newErasure(customer, "\x00", nil), forfeit, notBegun); err != nil {
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
	if done.Replies, err = s.keeper.Forget(ctx, customer, e.pseudonym, about); err != nil {
		return done, err
	}
	rows, err := s.eraseMoney(ctx, e, forfeit)
	if done.Rows += rows; err != nil {
		return done, err
	}
	done.Left, err = s.left(ctx, e)
	return done, err
}

// resources are the paths of what is the customer's, such as orders/17.
func (s *Service) resources(ctx context.Context, e *erasure) (map[string]bool, error) {
	tenant, _ := principal.From(ctx)
	const statement = `SELECT CONCAT('orders/', id) FROM orders WHERE tenant_id = ? AND user_id IN (?, ?)
		UNION SELECT CONCAT('refunds/', id) FROM refunds WHERE tenant_id = ? AND user_id IN (?, ?)
		UNION SELECT CONCAT('approvals/', id) FROM approvals WHERE tenant_id = ? AND resource IN (?, ?)
		UNION SELECT CONCAT('work-orders/', work_order_id) FROM work_order_links WHERE tenant_id = ? AND resource IN (?, ?)`
	theirs, wallet := []any{tenant.TenantID, e.id, e.pseudonym}, append([]any{tenant.TenantID}, e.paths()...)
	var paths []string
	if err := s.db.Read(ctx).Raw(statement, slices.Concat(theirs, theirs, wallet, wallet)...).Scan(&paths).Error; err != nil {
		return nil, fmt.Errorf("look for what is the customer's: %w", err)
	}
	about := make(map[string]bool, len(paths))
	for _, path := range paths {
		about[path] = true
	}
	return about, nil
}

// begun returns the erasure of a customer that was begun and not ended; nil when there is none.
func (s *Service) begun(ctx context.Context, customer principal.CustomerID) (*erasure, error) {
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

// begin keeps a pseudonym for a customer until the erasure ends. Of two who begin at once both go
// on with the first one's.
func (s *Service) begin(ctx context.Context, customer principal.CustomerID) (*erasure, error) {
	tenant, _ := principal.From(ctx)
	// They end the program rather than return an error (crypto/rand).
	word, secret := make([]byte, 15), make([]byte, 32)
	_, _ = rand.Read(word)
	_, _ = rand.Read(secret)
	pseudonym := "erased-" + strings.ToLower(base32.StdEncoding.EncodeToString(word))
	err := s.db.Write(ctx).Exec("INSERT INTO customer_erasures (tenant_id, user_id, pseudonym, secret, begun_time) VALUES (?, ?, ?, ?, ?)",
		tenant.TenantID, customer, pseudonym, secret, s.clock.Now()).Error
	if err != nil && !storage.Is(err, storage.DuplicateKey) {
		return nil, fmt.Errorf("begin to erase the customer: %w", err)
	}
	return s.begun(ctx, customer)
}

// eraseTables changes the rows of all tables but those that change together with others.
func (s *Service) eraseTables(ctx context.Context, e *erasure) (rows int, err error) {
	for _, t := range tables {
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

// change changes some rows in one unit, and returns how many.
func (s *Service) change(ctx context.Context, t table, e *erasure, hits []found) (changed int, err error) {
	sets := make([]map[string]any, len(hits))
	for i, row := range hits {
		sets[i] = t.changes(e, row)
	}
	if !slices.ContainsFunc(sets, func(set map[string]any) bool { return len(set) > 0 }) {
		return 0, nil
	}
	tenant, _ := principal.From(ctx)
	err = s.db.Transact(ctx, unitLife, func(tx *gorm.DB) error {
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

// shops are the shop's own words: an id in them is reported.
var shops = []table{
	{"configs", []string{id}, []column{{"key", names, ""}, {"value", data, ""}, {"value_schema", data, ""}, {"remark", free, ""}}, ""},
	{"config_histories", []string{id}, []column{{"key", names, ""}, {"value", data, ""}, {"value_schema", data, ""}, {"remark", free, ""}, {"note", free, ""}}, ""},
	{"item_histories", []string{id}, []column{{"name", names, ""}}, ""},
	{"items", []string{id}, []column{{"sku", names, ""}, {"name", names, ""}}, ""},
	{"coupon_campaigns", []string{id}, []column{{"name", names, ""}}, ""},
	{"coupon_campaign_histories", []string{id}, []column{{"name", names, ""}}, ""},
	{"flash_sales", []string{id}, []column{{"name", names, ""}, {"item_name", names, ""}}, ""},
	{"flash_sale_histories", []string{id}, []column{{"name", names, ""}, {"item_name", names, ""}, {"note", free, ""}}, ""},
	{"menus", []string{id}, []column{{"title", names, ""}, {"path", names, ""}}, ""},
	{"menu_histories", []string{id}, []column{{"title", names, ""}, {"path", names, ""}}, ""},
}

// left counts the rows of the shop's own content that name the customer.
func (s *Service) left(ctx context.Context, e *erasure) (map[string]int, error) {
	left := map[string]int{}
	for _, t := range shops {
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
