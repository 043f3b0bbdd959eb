// Package tier reports which tier of tests this run belongs to:
//
//	check    make check: tests that need no server
//	change   make test: the tests that every change must pass (the default)
//	nightly  make nightly: all tests, on both engines, with every round of every race
//
// A test that is not part of make test calls [Nightly]. `make tiers` lists these tests.
package tier

import (
	"fmt"
	"os"
	"testing"
)

// Variable names the environment variable that contains the tier.
const Variable = "INTERLOCK_TEST_TIER"

const (
	check   = "check"
	change  = "change"
	nightly = "nightly"
)

// current panics on an unknown tier: a misspelt name must not skip tests silently. It reads the
// environment each time, because Go's test cache only records variables that a running test reads.
func current() string {
	switch name := os.Getenv(Variable); name {
	case "":
		return change
	case check, change, nightly:
		return name
	default:
		panic(fmt.Sprintf("%s=%s: the tiers are %s, %s and %s", Variable, name, check, change, nightly))
	}
}

// IsNightly reports whether the nightly tier runs.
func IsNightly() bool { return current() == nightly }

// Nightly skips the test in the other tiers.
func Nightly(t testing.TB) {
	t.Helper()
	if !IsNightly() {
		t.Skip("make nightly runs this test")
	}
}

// NeedServers skips the test in the check tier. In the other tiers a missing server fails the test.
func NeedServers(t testing.TB) {
	t.Helper()
	if current() == check {
		t.Skip("this test needs a server; make test runs it")
	}
}

// Rounds returns how often a race is repeated: few times in make test, and as often as
// docs/guarantees.md promises in make nightly.
func Rounds(few, promised int) int {
	if IsNightly() {
		return promised
	}
	return few
}
