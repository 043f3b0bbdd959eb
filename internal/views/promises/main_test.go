package promises

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"interlock/internal/actions"
	"interlock/internal/flashsale"
	"interlock/internal/workorders"
)

// declared are the promises of three domains: of rows with one key, of rows with a compound key,
// and of the gates.
var declared = slices.Concat(workorders.Declaration.Promises, actions.Declaration.Promises, flashsale.Declaration.Promises)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
