//go:build faults

package client_test

import (
	"testing"

	"interlock/test/apptest"
)

func TestAnOutboxOfFiveThousandEntriesIsAppliedOnceHoweverOftenItsProcessIsKilled(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) { drainWhileKilled(t, p, 5000, 40) })
}
