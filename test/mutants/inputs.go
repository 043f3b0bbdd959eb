package main

// inputs are breaks of the rules for texts, times and JSON of requests.
var inputs = []mutant{
	{
		name: "a time of a request may be in any year",
		file: "internal/base/clock/clock.go", old: `	if !Storable(t) {`, new: `	if false {`,
		caught: tests{
			"internal/base/strictjson": {"TestTimesOutOfRangeAreRejected"},
			"test/contract":            {"TestTimesOutOfRangeAreRejectedEverywhere"},
		},
	},
	{
		name: "the year of a time is that of its offset",
		file: "internal/base/clock/clock.go", old: `return t.UTC().Year() >= 2000 && t.UTC().Year() <= 9999`, new: `return t.Year() >= 2000 && t.Year() <= 9999`,
		caught: tests{"internal/base/strictjson": {"TestTimesOutOfRangeAreRejected"}},
	},
	{
		name: "a reply to an import lists every rejected row",
		file: "internal/config/transfer.go", old: ` || len(r.Verdicts) == maxRejected {`, new: ` {`,
		caught: tests{"internal/config": {"TestRepliesToLargestImportsCanBeStored"}},
	},
	{
		name: "a reply to an import lists rejected rows of any size",
		file: "internal/config/transfer.go", old: `r.rejectedBytes <= maxRejectedBytes {`, new: `true {`,
		caught: tests{"internal/config": {"TestRepliesToLargestImportsCanBeStored"}},
	},
}
