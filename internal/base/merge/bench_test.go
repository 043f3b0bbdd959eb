package merge_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"interlock/internal/base/merge"
)

// hundredKeys is an object of scalars, nested objects and arrays, and two
// edits of it that touch different members.
func hundredKeys() (base, yours, theirs map[string]any) {
	base = make(map[string]any, 100)
	for i := range 100 {
		key := fmt.Sprintf("setting-%02d", i)
		switch i % 4 {
		case 0:
			base[key] = json.Number(fmt.Sprint(i))
		case 1:
			base[key] = fmt.Sprintf("value %d", i)
		case 2:
			base[key] = []any{json.Number("1"), "two", true}
		default:
			base[key] = map[string]any{"enabled": true, "limit": json.Number("10")}
		}
	}
	yours, theirs = maps.Clone(base), maps.Clone(base)
	yours["setting-00"] = json.Number("7")
	theirs["setting-03"] = map[string]any{"enabled": false, "limit": json.Number("10")}
	return base, yours, theirs
}

func BenchmarkDiffOfHundredKeys(b *testing.B) {
	base, yours, _ := hundredKeys()
	b.ReportAllocs()
	for b.Loop() {
		merge.Diff(base, yours)
	}
}

func BenchmarkThreeWayOfHundredKeys(b *testing.B) {
	base, yours, theirs := hundredKeys()
	b.ReportAllocs()
	for b.Loop() {
		merge.ThreeWay(base, yours, theirs)
	}
}
