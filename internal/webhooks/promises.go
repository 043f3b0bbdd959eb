package webhooks

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "webhook-versions", Guarantee: "G1", Table: "webhooks", Subject: "CONCAT('webhooks/', x.id)",
		Sentence: "The history of each webhook is its versions 1 to the current one.",
		Broken:   module.HistoryGap("webhook_histories", "webhook_id"),
		Tests:    []string{"TestStaleEditOfAWebhookConflicts"},
		Faults:   module.KilledAtCommit,
	},
	{
		Name: "webhook-positions", Guarantee: "G5", Table: "webhooks", Subject: "CONCAT('webhooks/', x.id)",
		Sentence: "Each webhook has one position, which is within the log of its tenant.",
		Broken: `NOT EXISTS (SELECT 1 FROM webhook_positions p WHERE p.tenant_id = x.tenant_id AND p.webhook_id = x.id AND (p.position IS NULL
			OR p.position >= 0 AND p.position <= (SELECT COALESCE(MAX(l.last), 0) FROM log_places l WHERE l.name = CONCAT('audit:', x.tenant_id))))`,
		Tests:  []string{"TestMessagesAreDeliveredAgainAfterTheDelivererIsKilled"},
		Faults: module.KilledAtCommit,
	},
	module.AuditedVersions("webhooks", "webhook_histories", "CONCAT('webhooks/', x.webhook_id)", "version of a webhook", module.KilledAtCommit...),
}
