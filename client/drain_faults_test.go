package client_test

import (
	"testing"

	"interlock/test/apptest"
	"interlock/test/tier"
)

func TestAnOutboxOfFiveThousandEntriesIsAppliedOnceHoweverOftenItsProcessIsKilled(t *testing.T) {
	tier.Nightly(t)
	apptest.Each(t, func(t *testing.T, p *apptest.Program) { drainWhileKilled(t, p, 5000, 40) })
}
