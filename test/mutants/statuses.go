package main

// statuses are breaks of state machines and of the limits that belong to them.
var statuses = []mutant{
	{
		name: "a step that its machine forbids is accepted",
		file: "internal/core/change/transition.go", old: `if !possible || l.Allowed`, new: `if !possible && action == "" || action == "" && l.Allowed`,
		caught: tests{"test/shop": {"TestOnlyOneOfFiftyShipOrCancelRacersWins", "TestOnlyOneOfAHundredDevicesRedeems"}},
	},
	{
		name: "a campaign issues more coupons than its total",
		file: "internal/coupons/issue.go", old: `"issued + ? <= total", count)`, new: `"issued + ? > 0", count)`,
		caught: tests{"test/shop": {"TestRacingIssuersNeverPassTheTotal", "TestReportedRemainingCouponsAreIssuable"}},
	},
	{
		name: "a user has more coupons than the campaign allows",
		file: "internal/coupons/holders.go", old: `if holder.Held >= campaign.PerUser {`, new: `if holder.Held > campaign.PerUser+100 {`,
		also:   []edit{{"internal/coupons/holders.go", `Where("held < ?", campaign.PerUser)`, `Where("held < ? + 100", campaign.PerUser)`}},
		caught: tests{"test/shop": {"TestConcurrentIssuesRespectTheLimitPerUser", "TestConcurrentRedemptionsRespectTheLimitPerUser"}},
	},
}
