// Package servers says whether the tests of this run have servers beside them, where the programs of
// servers are, whom they run as, and for which tests Go's cache cannot answer.
package servers

import (
	"os"
	"testing"
)

// Variable is "none" in a run without servers, which `make check` is.
const Variable = "INTERLOCK_TEST_SERVERS"

// Uncached is called by a test whose outcome hangs on files that it does not read itself: a program
// that it has built, what another program reads. Go's cache knows nothing of these, so the tests of
// its package are run again in each run of test/services.
func Uncached() { _ = os.Getenv("INTERLOCK_TEST_RUN") }

// Need is called by a test before it asks for a server. In a run without servers it
// skips the test; elsewhere a server that is missing fails it.
func Need(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) == "none" {
		t.Skip("this test needs a server; make test runs it")
	}
}
