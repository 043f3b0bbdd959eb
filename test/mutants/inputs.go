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
	{
		name: "JSON is the same only with the same spelling of numbers",
		file: "internal/base/strictjson/canonical.go", old: `jsontext.Value(CanonicalNumber(token.String()))`, new: `jsontext.Value(token.String())`,
		caught: tests{
			"internal/base/strictjson": {"TestOneValueHasOneCanonicalText"},
			"internal/config":          {"TestImportOfAReformattedExportChangesNothing"},
			"test/e2e":                 {"TestKeyMatchesAnySpellingOfTheBody"},
		},
	},
	{
		name: "an import compares the text of configs",
		file: "internal/config/transfer.go", old: `write.after.sameAs(existing.Content)`, new: `write.after.Content == existing.Content`,
		caught: tests{"internal/config": {"TestImportOfAReformattedExportChangesNothing"}},
	},
	{
		name: "an idempotency key is for one spelling of a body",
		file: "internal/edge/idempotency/record.go", old: `	if err != nil {
		body = r.Body
	}
	return digestOf`, new: `	if true || err != nil {
		body = r.Body
	}
	return digestOf`,
		caught: tests{"test/e2e": {"TestKeyMatchesAnySpellingOfTheBody"}},
	},
	{
		name: "a rejected shape is stored under its idempotency key",
		file: "internal/edge/idempotency/store.go", old: `reply.Code == apperr.MalformedRequest || reply.Code == apperr.ValidationFailed`, new: `reply.Code == apperr.MalformedRequest`,
		caught: tests{"test/e2e": {"TestRejectionsAreReplayed"}},
	},
	{
		name: "a name may end in blanks",
		file: "internal/base/naming/naming.go", old: `strings.TrimFunc(text, isBlank) == text`, new: `text != ""`,
		caught: tests{"test/contract": {"TestNastyNamesAreRejectedInEveryNamingField"}},
	},
	{
		name: "a name may have invisible direction marks",
		file: "internal/base/naming/naming.go", old: ` || unicode.Is(unicode.Cf, r) && !isJoiner(r)`, new: ``,
		caught: tests{"test/contract": {"TestNastyNamesAreRejectedInEveryNamingField"}},
	},
	{
		name: "a JSON Patch tests the spelling of a number",
		file: "internal/base/merge/operations.go", old: `if !Equal(tree, want) {`, new: `if fmt.Sprint(tree) != fmt.Sprint(want) {`,
		caught: tests{"internal/base/merge": {"TestOperationsFollowRFC6902"}},
	},
	{
		name: "a JSON Patch cannot set a member of an object to null",
		file: "internal/base/merge/operations.go", old: `			value = whole{value}`, new: `			value = whole{value}.value`,
		caught: tests{
			"internal/base/merge": {"TestOperationsFollowRFC6902"},
			"internal/config":     {"TestJSONPatchSetsMembersToNull"},
		},
	},
	{
		name: "a JSON Patch sets members that a merge patch cannot",
		file: "internal/base/merge/operations.go", old: `	checked, err := o.check(text)`, new: `	checked, err := Parse(text)`,
		caught: tests{"test/contract": {"TestJSONPatchIsGuardedLikeMergePatch"}},
	},
}
