// Package servers finds the programs of database servers, the account that they run as, and marks
// the tests whose results Go must not cache.
package servers

import "os"

// Uncached is called by a test whose outcome hangs on files that it does not read itself: a program
// that it has built, what another program reads. Go's cache knows nothing of these, so the tests of
// its package are run again in each run of test/services.
func Uncached() { _ = os.Getenv("INTERLOCK_TEST_RUN") }
