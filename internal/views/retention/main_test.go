package retention

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"interlock/internal/access"
	"interlock/internal/config"
	"interlock/internal/flashsale"
	"interlock/internal/views/audit"
)

// declared are the tables of four domains: each kind of retention, and each kind of key.
var declared = slices.Concat(audit.Declaration.Tables, config.Declaration.Tables, access.Declaration.Tables, flashsale.Declaration.Tables)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
