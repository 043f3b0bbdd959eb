// Package servers finds the programs of database servers and the account that they run as,
// and marks the tests whose results Go must not cache.
package servers

import "os"

// Uncached is called by a test that depends on files that it does not read itself, such as
// a program that it builds or the inputs of another program. Go's test cache does not track
// these, so each run of test/services runs the tests of the package again.
func Uncached() { _ = os.Getenv("INTERLOCK_TEST_RUN") }
