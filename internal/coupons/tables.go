package coupons

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "coupon_histories", Plain: "action", Expires: module.Versions("coupon_histories", "coupon_id", "coupons"),
		Columns:  []module.Column{{Name: "detail", Erase: module.JSONTexts}, {Name: "changed_by_name", Erase: module.Renamed}},
		Customer: ofCoupon,
	},
	{
		Name: "coupons", Plain: "code", Stays: module.Current,
		Columns: []module.Column{
			{Name: "user_id", Erase: module.Pseudonym},
			{Name: "redeemed_by", Erase: module.Pseudonym},
			{Name: "void_reason", Erase: module.Blanked},
			{Name: "updated_by_name", Erase: module.Renamed},
		},
		Customer: "x.user_id IN (??) OR x.redeemed_by IN (??)",
	},
	{
		Name: "coupon_holders", Key: []string{"tenant_id", "campaign_id", "user_id"}, Stays: module.Current,
		Columns: []module.Column{{Name: "user_id", Erase: module.Pseudonym}},
	},
	{
		Name: "coupon_campaign_histories", Plain: "action kind changed_by_name", Expires: module.Versions("coupon_campaign_histories", "campaign_id", "coupon_campaigns"),
		Columns: []module.Column{{Name: "name", Erase: module.Renamed, Content: true}},
	},
	{
		Name: "coupon_campaigns", Plain: "kind updated_by_name", Stays: module.Current,
		Columns: []module.Column{{Name: "name", Erase: module.Renamed, Content: true}},
	},
}

// ofCoupon is the SQL condition that the coupon of a history row was issued to the customer, or
// redeemed by the customer.
const ofCoupon = "EXISTS (SELECT 1 FROM coupons o WHERE o.tenant_id = x.tenant_id AND (o.user_id IN (??) OR o.redeemed_by IN (??)) AND o.id = x.coupon_id)"
