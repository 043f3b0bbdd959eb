package audit

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "audit_entries", Plain: "unit_id creator_name action", Expires: &module.Expiry{Kind: module.AuditRows, When: `x.created_time <= ? AND x.action <> 'aggregate.rebuild'
			AND (x.place IS NOT NULL OR NOT EXISTS (SELECT 1 FROM log_places l WHERE l.name = CONCAT('audit:', x.tenant_id)))`},
		Columns: []module.Column{
			{Name: "request_id", Erase: module.Renamed},
			{Name: "actor_kind", Erase: module.Unchanged},
			{Name: "actor_id", Erase: module.Pseudonym, Kind: "actor_kind"},
			{Name: "actor_name", Erase: module.Renamed, Kind: "actor_kind"},
			{Name: "credential_id", Erase: module.Renamed},
			{Name: "resource", Erase: module.Renamed},
			{Name: "detail", Erase: module.JSONTexts},
			{Name: "changes", Erase: module.JSONTexts},
			{Name: "note", Erase: module.Blanked},
			{Name: "on_behalf_of", Erase: module.Pseudonym},
			{Name: "idempotency_key", Erase: module.Renamed},
		},
		Customer: `(x.actor_kind = 'customer' AND x.actor_id IN (??)) OR x.on_behalf_of IN (??) OR x.resource IN (##)
		OR EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = x.tenant_id AND o.user_id IN (??) AND o.id = CAST(SUBSTR(x.resource, 8) AS SIGNED) AND x.resource = CONCAT('orders/', o.id))
		OR EXISTS (SELECT 1 FROM payments o WHERE o.tenant_id = x.tenant_id AND o.user_id IN (??) AND o.id = CAST(SUBSTR(x.resource, 10) AS SIGNED) AND x.resource = CONCAT('payments/', o.id))
		OR EXISTS (SELECT 1 FROM refunds o WHERE o.tenant_id = x.tenant_id AND o.user_id IN (??) AND o.id = CAST(SUBSTR(x.resource, 9) AS SIGNED) AND x.resource = CONCAT('refunds/', o.id))
		OR EXISTS (SELECT 1 FROM approvals o WHERE o.tenant_id = x.tenant_id AND o.resource IN (##) AND o.id = CAST(SUBSTR(x.resource, 11) AS SIGNED) AND x.resource = CONCAT('approvals/', o.id))
		OR EXISTS (SELECT 1 FROM work_order_links o WHERE o.tenant_id = x.tenant_id AND o.resource IN (##) AND o.work_order_id = CAST(SUBSTR(x.resource, 13) AS SIGNED) AND x.resource = CONCAT('work-orders/', o.work_order_id))`,
	},
	{
		Name: "audit_targets", Key: []string{"tenant_id", "resource", "entry_id"}, Stays: "they are removed with their audit entry",
		Columns: []module.Column{{Name: "resource", Erase: module.Renamed}},
	},
}
