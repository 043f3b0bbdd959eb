package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/merge"
)

// hundredKeys is an object of scalars, nested objects and arrays, and two
// edits of it that touch different members.
func hundredKeys() (base, yours, theirs string) {
	members := make([]string, 100)
	for i := range members {
		value := `{"enabled":true,"limit":10}`
		switch i % 4 {
		case 0:
			value = fmt.Sprint(i)
		case 1:
			value = fmt.Sprintf(`"value %d"`, i)
		case 2:
			value = `[1,"two",true]`
		}
		members[i] = fmt.Sprintf(`"setting-%02d":%s`, i, value)
	}
	base = "{" + strings.Join(members, ",") + "}"
	yours = strings.Replace(base, `"setting-00":0`, `"setting-00":7`, 1)
	theirs = strings.Replace(base, `"setting-03":{"enabled":true`, `"setting-03":{"enabled":false`, 1)
	return base, yours, theirs
}

func BenchmarkPatchOfHundredKeys(b *testing.B) {
	base, _, _ := hundredKeys()
	patch := []byte(`{"setting-03":{"limit":11},"setting-40":null,"more":[1]}`)
	b.ReportAllocs()
	for b.Loop() {
		_, err := merge.PatchJSON([]byte(base), patch)
		require.NoError(b, err)
	}
}

func BenchmarkThreeWayOfHundredKeys(b *testing.B) {
	base, yours, theirs := hundredKeys()
	x, y, z := parse(b, base), parse(b, yours), parse(b, theirs)
	b.ReportAllocs()
	for b.Loop() {
		merge.ThreeWay(x, y, z)
	}
}
