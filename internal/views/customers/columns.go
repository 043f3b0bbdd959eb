package customers

import "strings"

// how defines the erasure of a column in a row that names a customer.
type how int

const (
	// isID: the column is a customer's id, and becomes the pseudonym.
	isID how = iota
	// stays: the column is read with the others, and is unchanged.
	stays
	// isTicket: the column is a ticket with a MAC of the customer's id; it becomes another ticket.
	isTicket
	// names: a name, a path or a reference, in which the id becomes the pseudonym.
	names
	// free: text written by users. It is blanked in rows about the customer, and if it
	// names the customer.
	free
	// data: JSON with texts that are handled by member.
	data
	// content: JSON with members chosen by a shop; it becomes {} in rows about the
	// customer, and if it names the customer.
	content
)

type column struct {
	name string
	how  how
	// kind is the column with the kind of the id: only the kind customer is a customer's
	// id; "" if it always is.
	kind string
}

// table is a table with columns that can name a customer.
type table struct {
	name string
	// key is its primary key, including the tenant if that is a part of it.
	key     []string
	columns []column
	// own is a condition on a row x that is about the customer: each ?? is the
	// customer's id and the pseudonym, and each ## for the paths of the two wallets. "" for
	// rows that can only name the customer. It is evaluated per row, so it finds other rows
	// by their keys, using the number at the end of a path.
	own string
}

const (
	id       = "id"
	byOwner  = "x.user_id IN (??)"
	erased   = "[erased]"
	ofOrder  = "EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = x.tenant_id AND o.user_id IN (??) AND o.id = x.order_id)"
	ofRefund = "EXISTS (SELECT 1 FROM refunds o WHERE o.tenant_id = x.tenant_id AND o.user_id IN (??) AND o.id = x.refund_id)"
	ofCoupon = "EXISTS (SELECT 1 FROM coupons o WHERE o.tenant_id = x.tenant_id AND (o.user_id IN (??) OR o.redeemed_by IN (??)) AND o.id = x.coupon_id)"
	// linked is true if a work order, the column, is linked to the wallet or an order.
	linked = `EXISTS (SELECT 1 FROM work_order_links l WHERE l.tenant_id = x.tenant_id AND l.work_order_id = x.WORK_ORDER AND (l.resource IN (##)
		OR EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = l.tenant_id AND o.user_id IN (??) AND o.id = CAST(SUBSTR(l.resource, 8) AS SIGNED) AND l.resource = CONCAT('orders/', o.id))))`
	// onWallet is true if an approval, the column, is for an entry of the wallet.
	onWallet = "EXISTS (SELECT 1 FROM approvals a WHERE a.tenant_id = x.tenant_id AND a.id = x.approval_id AND a.resource IN (##))"
)

// tables contains every column that can name a customer, in the order of erasure: a table
// that identifies the owner of other rows follows the tables of those rows. Aggregates,
// approvals and money are handled before or after them, in separate units (together.go).
var tables = []table{
	{"audit_entries", []string{id}, []column{
		{"request_id", names, ""}, {"actor_kind", stays, ""}, {"actor_id", isID, "actor_kind"}, {"actor_name", names, "actor_kind"}, {"credential_id", names, ""}, {"resource", names, ""},
		{"detail", data, ""}, {"note", free, ""}, {"on_behalf_of", isID, ""}, {"idempotency_key", names, ""},
	}, `(x.actor_kind = 'customer' AND x.actor_id IN (??)) OR x.on_behalf_of IN (??) OR x.resource IN (##)
		OR EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = x.tenant_id AND o.user_id IN (??) AND o.id = CAST(SUBSTR(x.resource, 8) AS SIGNED) AND x.resource = CONCAT('orders/', o.id))
		OR EXISTS (SELECT 1 FROM refunds o WHERE o.tenant_id = x.tenant_id AND o.user_id IN (??) AND o.id = CAST(SUBSTR(x.resource, 9) AS SIGNED) AND x.resource = CONCAT('refunds/', o.id))
		OR EXISTS (SELECT 1 FROM approvals o WHERE o.tenant_id = x.tenant_id AND o.resource IN (##) AND o.id = CAST(SUBSTR(x.resource, 11) AS SIGNED) AND x.resource = CONCAT('approvals/', o.id))
		OR EXISTS (SELECT 1 FROM work_order_links o WHERE o.tenant_id = x.tenant_id AND o.resource IN (##) AND o.work_order_id = CAST(SUBSTR(x.resource, 13) AS SIGNED) AND x.resource = CONCAT('work-orders/', o.work_order_id))`},
	{"audit_targets", []string{"tenant_id", "resource", "entry_id"}, []column{{"resource", names, ""}}, ""},
	{"approval_comments", []string{id}, []column{{"text", free, ""}, {"created_by_name", names, ""}}, onWallet},
	{"approval_histories", []string{id}, []column{{"detail", data, ""}, {"content", data, ""}, {"changed_by_name", names, ""}}, onWallet},
	{"approval_targets", []string{id}, []column{{"resource", names, ""}}, ""},
	{"aggregate_events", []string{id}, []column{{"client_id", names, ""}, {"event_id", names, ""}, {"payload", content, ""}, {"created_by_name", names, ""}},
		"EXISTS (SELECT 1 FROM aggregates a WHERE a.tenant_id = x.tenant_id AND a.id = x.aggregate_id AND a.name IN (??))"},
	{"work_order_comments", []string{id}, []column{{"text", free, ""}, {"created_by_name", names, ""}}, strings.ReplaceAll(linked, "WORK_ORDER", "work_order_id")},
	{"work_order_histories", []string{id}, []column{{"detail", data, ""}, {"changed_by_name", names, ""}}, strings.ReplaceAll(linked, "WORK_ORDER", "work_order_id")},
	{"work_orders", []string{id}, []column{
		{"title", free, ""}, {"body", free, ""}, {"resolution", free, ""}, {"created_by_name", names, ""}, {"updated_by_name", names, ""}, {"holder_name", names, ""},
	}, strings.ReplaceAll(linked, "WORK_ORDER", "id")},
	{"work_order_links", []string{id}, []column{{"resource", names, ""}}, ""},
	{"promise_violations", []string{id}, []column{{"subject", names, ""}}, ""},
	{"wallet_entries", []string{id}, []column{{"created_by_name", names, ""}}, ""},
	{"wallets", []string{id}, []column{{"updated_by_name", names, ""}}, ""},
	{"inventory_movements", []string{id}, []column{{"reason", free, ""}, {"reference", names, ""}, {"created_by_name", names, ""}}, ""},
	{"order_histories", []string{id}, []column{{"detail", data, ""}, {"changed_by_name", names, ""}}, ofOrder},
	{"refund_histories", []string{id}, []column{{"detail", data, ""}, {"changed_by_name", names, ""}}, ofRefund},
	{"coupon_histories", []string{id}, []column{{"detail", data, ""}, {"changed_by_name", names, ""}}, ofCoupon},
	{"item_histories", []string{id}, []column{{"owned_by_user_id", isID, ""}, {"changed_by_name", names, ""}}, ""},
	{"items", []string{id}, []column{{"owned_by_user_id", isID, ""}, {"updated_by_name", names, ""}}, ""},
	{"actions", []string{"tenant_id", "entity_type", "entity_id", "action_group", "actor_kind", "actor_id"}, []column{{"actor_kind", stays, ""}, {"actor_id", isID, "actor_kind"}}, ""},
	{"coupons", []string{id}, []column{{"user_id", isID, ""}, {"redeemed_by", isID, ""}, {"void_reason", free, ""}, {"updated_by_name", names, ""}},
		"x.user_id IN (??) OR x.redeemed_by IN (??)"},
	{"coupon_holders", []string{"tenant_id", "campaign_id", "user_id"}, []column{{"user_id", isID, ""}}, ""},
	{"flash_sale_buyers", []string{"sale_id", "user_id"}, []column{{"user_id", isID, ""}, {"ticket", isTicket, ""}}, byOwner},
	{"flash_sale_tickets", []string{"sale_id", "ticket"}, []column{{"ticket", isTicket, ""}, {"user_id", isID, ""}}, byOwner},
	{"flash_sale_rejections", []string{"tenant_id", "ticket"}, []column{{"ticket", isTicket, ""}, {"user_id", isID, ""}}, byOwner},
	{"orders", []string{id}, []column{
		{"ticket", isTicket, ""}, {"tracking_no", free, ""}, {"cancel_reason", free, ""}, {"payment_reference", names, ""}, {"updated_by_name", names, ""}, {"user_id", isID, ""},
	}, byOwner},
	{"refunds", []string{id}, []column{
		{"reason", free, ""}, {"status_reason", free, ""}, {"requested_by_name", names, ""}, {"approved_by_name", names, ""}, {"updated_by_name", names, ""},
	}, byOwner},
}
