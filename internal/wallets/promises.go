package wallets

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "wallet-balances", Guarantee: "G4", Table: "wallets", Subject: module.PathSQL("wallets", "x.user_id"),
		Sentence: "The entries of each wallet add up to its balance, which is never negative.",
		Broken: `x.balance < 0
			OR x.balance <> (SELECT COALESCE(SUM(e.amount), 0) FROM wallet_entries e WHERE e.tenant_id = x.tenant_id AND e.user_id = x.user_id)
			OR x.version <> (SELECT COUNT(*) FROM wallet_entries e WHERE e.tenant_id = x.tenant_id AND e.user_id = x.user_id)`,
		Tests:  []string{"TestVersionRejectsAPausedHolderDespiteSufficientBalance"},
		Faults: []string{"TestRetriedDebitsOfAKilledProgramAreAppliedOnce"},
	},
	{
		Name: "wallet-transfers", Guarantee: "G4", Table: "wallet_entries", Subject: module.PathSQL("wallets", "x.user_id"),
		Sentence: "Each entry of a transfer has its counterpart in the other wallet.",
		Broken: `x.other_user_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM wallet_entries o WHERE o.tenant_id = x.tenant_id
			AND o.user_id = x.other_user_id AND o.reference = x.reference AND o.other_user_id = x.user_id AND o.amount = -x.amount)`,
		Tests:  []string{"TestOppositeTransfersConserveTheTotalWithoutDeadlocks"},
		Faults: module.KilledAtCommit,
	},
	module.AuditedRows("wallets", "wallet_entries", module.PathSQL("wallets", "x.user_id"), "entry of a wallet", module.KilledAtCommit...),
}
