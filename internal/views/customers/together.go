package customers

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/module"
)

// Tables with rows that change together with others.
var (
	aggregates = table{"aggregates", []string{id}, []column{{"name", module.Renamed, ""}, {"updated_by_name", module.Renamed, ""}}, ""}
	writers    = table{"aggregate_writers", []string{"tenant_id", "aggregate_id", "client_id"}, []column{{"client_id", module.Renamed, ""}}, ""}
	approvals  = table{"approvals", []string{id}, []column{
		{"resource", module.Renamed, ""}, {"content", module.JSONTexts, ""}, {"note", module.Blanked, ""}, {"reason", module.Blanked, ""}, {"author_name", module.Renamed, ""}, {"updated_by_name", module.Renamed, ""},
	}, "x.resource IN (##)"}
	wallets = table{"wallets", []string{id}, []column{{"user_id", module.Pseudonym, ""}}, module.ByCustomer}
	entries = table{"wallet_entries", []string{id}, []column{{"user_id", module.Pseudonym, ""}, {"other_user_id", module.Pseudonym, ""}, {"reference", module.Renamed, ""}},
		module.ByCustomer + " OR x.other_user_id IN (??)"}
	// A refund that a provider or an admin has settled has an external reference, and no
	// entry.
	settlements = table{"refunds", []string{id}, []column{{"user_id", module.Unchanged, ""}, {"reference", module.Renamed, ""}}, ""}
)

// walletWait bounds the wait of the last unit for the wallet's lock.
const walletWait = 10 * time.Second

// step runs one unit that is not a business mutation.
func (s *Service) step(ctx context.Context, fn func(tx *gorm.DB, tenant int64) error) error {
	tenant, _ := principal.From(ctx)
	if err := s.db.Transact(ctx, unitTimeout, func(tx *gorm.DB) error { return fn(tx, tenant.TenantID) }); err != nil {
		return err
	}
	return s.after()
}

// run executes statements with their values, in order.
func run(tx *gorm.DB, statements ...clause) error {
	for _, one := range statements {
		if err := tx.Exec(one.text, one.values...).Error; err != nil {
			return err
		}
	}
	return nil
}

// eraseAggregates renames the aggregates and the writers of events with names that contain the id. It
// renames an aggregate together with its audit entries, which are counted by its name, and a writer
// together with its events, because the writer's row contains their highest sequence.
func (s *Service) eraseAggregates(ctx context.Context, e *erasure) (rows int, err error) {
	err = s.each(ctx, aggregates, e, func(row found) error {
		set := aggregates.changes(e, row)
		if len(set) == 0 {
			return nil
		}
		rows++
		return s.step(ctx, func(tx *gorm.DB, tenant int64) error { return renameAggregate(tx, tenant, row, set) })
	})
	if err != nil {
		return rows, err
	}
	err = s.each(ctx, writers, e, func(row found) error {
		fresh, old := e.name(row.values[0], false), row.values[0]
		if fresh == old {
			return nil
		}
		rows++
		return s.step(ctx, func(tx *gorm.DB, tenant int64) error {
			at := []any{fresh, tenant, row.key[1], old}
			return run(tx, clause{"UPDATE aggregate_events SET client_id = ? WHERE tenant_id = ? AND aggregate_id = ? AND client_id = ?", at},
				clause{"UPDATE aggregate_writers SET client_id = ? WHERE tenant_id = ? AND aggregate_id = ? AND client_id = ?", at})
		})
	})
	return rows, err
}

func renameAggregate(tx *gorm.DB, tenant int64, row found, set map[string]any) error {
	if changed, err := aggregates.update(tx, tenant, row, set); err != nil || !changed {
		return err
	}
	fresh, renamed := set["name"]
	if !renamed {
		return nil
	}
	var kind string
	if err := tx.Raw("SELECT type FROM aggregates WHERE tenant_id = ? AND id = ?", tenant, row.key[0]).Scan(&kind).Error; err != nil {
		return err
	}
	path := "aggregates/" + kind + "/"
	return run(tx, clause{"UPDATE audit_entries SET resource = ? WHERE tenant_id = ? AND resource = ?", []any{path + fresh.(string), tenant, path + row.values[0]}})
}

// eraseApprovals changes approvals with their votes: a vote refers to the digest of a
// content, and content that names the customer gets another digest.
func (s *Service) eraseApprovals(ctx context.Context, e *erasure) (rows int, err error) {
	err = s.each(ctx, approvals, e, func(row found) error {
		set := approvals.changes(e, row)
		if len(set) == 0 {
			return nil
		}
		rows++
		return s.step(ctx, func(tx *gorm.DB, tenant int64) error {
			if changed, err := approvals.update(tx, tenant, row, set); err != nil || !changed {
				return err
			}
			return redigest(tx, tenant, row.key[0], e)
		})
	})
	return rows, err
}

func redigest(tx *gorm.DB, tenant int64, approval any, e *erasure) error {
	var digests []string
	err := tx.Raw("SELECT digest FROM approvals WHERE tenant_id = ? AND id = ? UNION SELECT digest FROM approval_votes WHERE tenant_id = ? AND approval_id = ?",
		tenant, approval, tenant, approval).Scan(&digests).Error
	for _, old := range digests {
		if err != nil {
			return err
		}
		at := []any{e.digest(old), tenant, approval, old}
		err = run(tx, clause{"UPDATE approvals SET digest = ? WHERE tenant_id = ? AND id = ? AND digest = ?", at},
			clause{"UPDATE approvals SET open_digest = ? WHERE tenant_id = ? AND id = ? AND open_digest = ?", at},
			clause{"UPDATE approval_votes SET digest = ? WHERE tenant_id = ? AND approval_id = ? AND digest = ?", at})
	}
	return err
}

// eraseMoney runs the last unit. It changes the wallet with its entries, the counterparts of its
// transfers, its payments and refunds, writes the audit entry, and deletes the row that connects id and
// pseudonym. References of other customers that contain the id are changed before this unit, each
// with its counterpart.
//
// The unit checks again for open business, and for the wallet under its lock: if business was
// opened, or money was paid in, since the run started, the unit fails and changes nothing. The
// wallet's row is replaced by a new one under the version with the checked balance. A debit that
// was paused beyond its lock guards the old row, and finds it deleted.
//
// It is one unit for any number of entries: between two units a wallet's entries would not add up
// to its balance, or the two sides of a transfer would name different customers. It needs three
// statements per entriesAtOnce entries, about 50 µs per entry, and a unit has 30 s (uow). A unit
// that times out has changed nothing.
func (s *Service) eraseMoney(ctx context.Context, e *erasure, forfeit bool) (rows int, err error) {
	rows, err = s.eraseReferences(ctx, e)
	if err != nil {
		return rows, err
	}
	before := rows
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		ctx, err := s.lock(ctx, u, walletWait, e.id, e.pseudonym)
		if err != nil {
			return err
		}
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		tenant, _ := principal.From(ctx)
		held, err := readWallets(tx, tenant.TenantID, e)
		if err != nil {
			return err
		}
		if err := refuseOpen(tx, tenant.TenantID, e, held, forfeit, lastUnit); err != nil {
			return err
		}
		moved, err := moveMoney(tx, tenant.TenantID, e, held)
		if err != nil {
			return err
		}
		rows = before + moved
		ended := tx.Exec("DELETE FROM customer_erasures WHERE tenant_id = ? AND user_id = ? AND pseudonym = ?", tenant.TenantID, e.id, e.pseudonym)
		switch {
		case ended.Error != nil:
			return ended.Error
		case ended.RowsAffected != 1:
			return errors.New("customers: another run has erased the customer concurrently")
		}
		u.Audit(uow.Entry{Action: "customer.erase", Resource: "customers/" + string(e.pseudonym)})
		return nil
	})
	return rows, err
}

// eraseReferences renames the references of other customers that contain the id.
func (s *Service) eraseReferences(ctx context.Context, e *erasure) (rows int, err error) {
	renamed := func(owner, other, reference string) error {
		fresh := e.name(reference, false)
		if fresh == reference || slices.Contains([]string{string(e.id), string(e.pseudonym)}, owner) {
			return nil
		}
		rows++
		return s.step(ctx, func(tx *gorm.DB, tenant int64) error {
			return rename(tx, tenant, owner, other, reference, fresh)
		})
	}
	err = s.each(ctx, entries, e, func(row found) error {
		if row.own {
			return nil
		}
		return renamed(row.values[0], row.values[1], row.values[2])
	})
	if err != nil {
		return rows, err
	}
	err = s.each(ctx, settlements, e, func(row found) error { return renamed(row.values[0], "", row.values[1]) })
	return rows, err
}

// entry contains the fields of an entry or a refund that can name the customer.
type entry struct{ UserID, OtherUserID, Reference string }

// entriesAtOnce is the number of entries per statement of the last unit, with their
// counterparts.
const entriesAtOnce = 200

// moveMoney assigns the customer's rows to the pseudonym, and returns their number.
func moveMoney(tx *gorm.DB, tenant int64, e *erasure, held []wallet) (rows int, err error) {
	var mine []entry
	const entriesOf = "SELECT user_id, COALESCE(other_user_id, '') AS other_user_id, reference FROM wallet_entries WHERE tenant_id = ? AND user_id IN (?, ?)"
	const refundsOf = "SELECT user_id, '' AS other_user_id, reference FROM refunds WHERE tenant_id = ? AND user_id IN (?, ?) AND reference <> ''"
	if err := tx.Raw(entriesOf+" UNION ALL "+refundsOf, tenant, e.id, e.pseudonym, tenant, e.id, e.pseudonym).Scan(&mine).Error; err != nil {
		return 0, err
	}
	for some := range slices.Chunk(mine, entriesAtOnce) {
		if err := moveSome(tx, tenant, e, some); err != nil {
			return 0, err
		}
	}
	if err := replaceWallet(tx, tenant, e, held); err != nil {
		return 0, err
	}
	err = run(tx, clause{"UPDATE wallet_entries SET user_id = ? WHERE tenant_id = ? AND user_id = ?", []any{e.pseudonym, tenant, e.id}},
		clause{"UPDATE refunds SET user_id = ? WHERE tenant_id = ? AND user_id = ?", []any{e.pseudonym, tenant, e.id}},
		clause{"UPDATE payments SET user_id = ? WHERE tenant_id = ? AND user_id = ?", []any{e.pseudonym, tenant, e.id}})
	return len(mine), err
}

// moveSome replaces the customer by the pseudonym in the counterparts of some entries. It also
// replaces the id in the references of these entries, of their counterparts and of refunds, so that
// equal references stay equal.
func moveSome(tx *gorm.DB, tenant int64, e *erasure, some []entry) error {
	reference, others := "reference", ""
	var replaced, counterparts []any
	var old []string
	for _, one := range some {
		if one.OtherUserID != "" {
			others += " OR user_id = ? AND reference = ?"
			counterparts = append(counterparts, one.OtherUserID, one.Reference)
		}
		if fresh := e.name(one.Reference, true); fresh != one.Reference {
			old, replaced = append(old, one.Reference), append(replaced, one.Reference, fresh)
		}
	}
	if len(old) > 0 {
		reference = "CASE reference" + strings.Repeat(" WHEN ? THEN ?", len(old)) + " ELSE reference END"
	}
	if others != "" {
		statement := "UPDATE wallet_entries SET other_user_id = ?, reference = " + reference + " WHERE tenant_id = ? AND other_user_id = ? AND (" + others[len(" OR "):] + ")"
		err := run(tx, clause{statement, slices.Concat([]any{e.pseudonym}, replaced, []any{tenant, e.id}, counterparts)})
		if err != nil {
			return err
		}
	}
	if len(old) == 0 {
		return nil
	}
	set, at := " SET reference = "+reference+" WHERE tenant_id = ? AND user_id IN (?, ?) AND reference IN ?", append(replaced, tenant, e.id, e.pseudonym, old)
	return run(tx, clause{"UPDATE wallet_entries" + set, at}, clause{"UPDATE refunds" + set, at})
}

// rename changes the reference of an entry, and of the counterpart and the refund of the entry.
func rename(tx *gorm.DB, tenant int64, owner, other, old, fresh string) error {
	statements := []clause{
		{"UPDATE wallet_entries SET reference = ? WHERE tenant_id = ? AND user_id = ? AND reference = ?", []any{fresh, tenant, owner, old}},
		{"UPDATE refunds SET reference = ? WHERE tenant_id = ? AND user_id = ? AND reference = ?", []any{fresh, tenant, owner, old}},
	}
	if other != "" {
		statements = append(statements, clause{"UPDATE wallet_entries SET reference = ? WHERE tenant_id = ? AND user_id = ? AND reference = ?", []any{fresh, tenant, other, old}})
	}
	return run(tx, statements...)
}
