// Package servers says whether the tests of this run have servers beside them, where the programs of
// servers are, and whom they run as.
package servers

import (
	"os"
	"testing"
)

// Variable is "none" in a run without servers, which `make check` is.
const Variable = "INTERLOCK_TEST_SERVERS"

// Need is called by a test before it asks for a server. In a run without servers it
// skips the test; elsewhere a server that is missing fails it.
func Need(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) == "none" {
		t.Skip("this test needs a server; make test runs it")
	}
}
