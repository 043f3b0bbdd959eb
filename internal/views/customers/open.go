package customers

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
)

// Conditions for open business, by the statuses of its table.
const (
	openOrder    = "status IN (0, 1, 2)"
	openRefund   = "status IN (0, 1, 5)"
	openPayment  = "status = 0"
	openApproval = "status IN (0, 8)"
)

// underWay contains, by table, the condition for open rows about the customer. No run changes such
// rows: they were opened after the check of the run, and its last unit rejects them.
var underWay = map[string]string{"orders": openOrder, "payments": openPayment, "refunds": openRefund, "approvals": openApproval}

type question struct{ count, says string }

// open are the queries for open business of a customer, each with the necessary action. Their
// parameters are the tenant, the customer and the pseudonym: business that is opened on rows with
// the pseudonym belongs to the pseudonym.
var open = []question{
	{"SELECT COUNT(*) FROM orders WHERE tenant_id = ? AND user_id IN (?, ?) AND " + openOrder, "%d of their orders are pending, paid or shipped: complete or cancel them"},
	{"SELECT COUNT(*) FROM refunds WHERE tenant_id = ? AND user_id IN (?, ?) AND " + openRefund, "%d refunds to them are not settled: settle or reject them"},
	{"SELECT COUNT(*) FROM payments WHERE tenant_id = ? AND user_id IN (?, ?) AND " + openPayment, "%d payments of theirs are unmatched: apply them or send them back"},
	{"SELECT COUNT(*) FROM orders o JOIN flash_sale_stocks s ON s.tenant_id = o.tenant_id AND s.sale_id = o.sale_id WHERE o.tenant_id = ? AND o.user_id IN (?, ?) AND NOT s.finished",
		"%d of their orders are of flash sales that have not finished, and count against their limit there: wait until they have"},
	{"SELECT COUNT(*) FROM flash_sale_rejections o JOIN flash_sale_stocks s ON s.tenant_id = o.tenant_id AND s.sale_id = o.sale_id WHERE o.tenant_id = ? AND o.user_id IN (?, ?) AND NOT s.finished",
		"%d of their tickets are of flash sales that have not finished: wait until they have"},
	{"SELECT COUNT(*) FROM flash_sale_tickets o JOIN flash_sale_stocks s ON s.tenant_id = o.tenant_id AND s.sale_id = o.sale_id WHERE o.tenant_id = ? AND o.user_id IN (?, ?) AND NOT s.finished",
		"%d of their tickets wait in flash sales that have not finished: wait until they have"},
}

// late are the queries of the last unit for rows that still have the id: they were created
// after the run had checked, or were open then.
var late = []question{
	{"SELECT COUNT(*) FROM orders WHERE tenant_id = ? AND user_id = ?", "%d orders were placed or ended during the erasure: run it again"},
	{"SELECT COUNT(*) FROM approvals WHERE tenant_id = ? AND resource = ?", "%d entries of their wallet were voted on during the erasure: run it again"},
}

const (
	openApprovals  = "SELECT COUNT(*) FROM approvals WHERE tenant_id = ? AND resource IN (?, ?) AND " + openApproval
	openWorkOrders = "SELECT COUNT(*) FROM work_order_links l JOIN work_orders o ON o.tenant_id = l.tenant_id AND o.id = l.work_order_id WHERE l.tenant_id = ? AND l.resource IN (?, ?) AND o.status IN (0, 1)"
)

// moment is the phase of an erasure at a check.
type moment int

const (
	notStarted moment = iota
	resumed
	lastUnit
)

// begins returns the first sentence of a rejection.
func (m moment) begins() string {
	if m == notStarted {
		return "The customer cannot be erased yet; nothing was changed."
	}
	return "The erasure is incomplete: the customer's money and open business are unchanged, and completed steps remain."
}

// refuseOpen returns InUse if the customer has open business.
func (s *Service) refuseOpen(ctx context.Context, e *erasure, forfeit bool, at moment) error {
	tenant, _ := principal.From(ctx)
	held, err := readWallets(s.db.Read(ctx), tenant.TenantID, e)
	if err != nil {
		return err
	}
	return refuseOpen(s.db.Read(ctx), tenant.TenantID, e, held, forfeit, at)
}

// refuseOpen returns InUse if the customer has open business, or if the wallets contain
// money without a forfeit.
func refuseOpen(db *gorm.DB, tenant int64, e *erasure, held []wallet, forfeit bool, at moment) error {
	var reasons []string
	count := func(says, query string, values ...any) error {
		var n int64
		if err := db.Raw(query, append([]any{tenant}, values...)...).Scan(&n).Error; err != nil {
			return fmt.Errorf("check for open business: %w", err)
		}
		if n != 0 {
			reasons = append(reasons, fmt.Sprintf(says, n))
		}
		return nil
	}
	for _, one := range open {
		if err := count(one.says, one.count, e.id, e.pseudonym); err != nil {
			return err
		}
	}
	err := count("%d entries of their wallet wait for votes: decide on them", openApprovals, e.paths()...)
	if err == nil {
		err = count("%d work orders about their wallet are open: resolve them", openWorkOrders, e.paths()...)
	}
	for i, value := range []any{e.id, e.paths()[0]} {
		if err == nil && at == lastUnit {
			err = count(late[i].says, late[i].count, value)
		}
	}
	if err != nil {
		return err
	}
	var balance int64
	for _, one := range held {
		balance += one.Balance
	}
	if balance != 0 && !forfeit {
		reasons = append(reasons, fmt.Sprintf("their wallet has %d: pay it out, or confirm that it is forfeited", balance))
	}
	if len(reasons) == 0 {
		return nil
	}
	return apperr.New(apperr.InUse, "%s %s.", at.begins(), strings.Join(reasons, "; "))
}
