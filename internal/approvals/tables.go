package approvals

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "approval_comments", Stays: module.Votes,
		Columns:  []module.Column{{Name: "text", Erase: module.Blanked}, {Name: "created_by_name", Erase: module.Renamed}},
		Customer: onWallet,
	},
	{
		Name: "approval_histories", Plain: "action", Stays: module.Votes,
		Columns: []module.Column{
			{Name: "detail", Erase: module.JSONTexts},
			{Name: "content", Erase: module.JSONTexts},
			{Name: "changed_by_name", Erase: module.Renamed},
		},
		Customer: onWallet,
	},
	{
		Name: "approval_targets", Stays: module.Votes,
		Columns: []module.Column{{Name: "resource", Erase: module.Renamed}},
	},
	{Name: "approval_votes", Plain: "digest user_name creator_name verdict", Stays: module.Votes},
	{
		Name: "approvals", Plain: "kind base_etag digest open_digest", Stays: module.Current,
		Columns: []module.Column{
			{Name: "resource", Erase: module.Together},
			{Name: "content", Erase: module.Together},
			{Name: "note", Erase: module.Together},
			{Name: "reason", Erase: module.Together},
			{Name: "author_name", Erase: module.Together},
			{Name: "updated_by_name", Erase: module.Together},
		},
	},
}

// onWallet is the SQL condition that a row belongs to an approval of an entry of the customer's
// wallet.
const onWallet = "EXISTS (SELECT 1 FROM approvals a WHERE a.tenant_id = x.tenant_id AND a.id = x.approval_id AND a.resource IN (##))"
