// Package activity tests the domains that depend on no other domain, over HTTP: actions, aggregates
// and work orders.
package activity

import (
	"testing"

	"go.uber.org/goleak"

	"interlock/internal/base/storage/storagetest"
	"interlock/test/world"
)

type object = world.Object

func TestMain(m *testing.M) {
	storagetest.Covers("internal/actions", "internal/aggregates", "internal/workorders")
	goleak.VerifyTestMain(m)
}
