// Package servers finds the programs of database servers and the account that they run as,
// and marks the tests whose results Go must not cache.
package servers

import "os"

// Uncached prevents Go from reusing the cached result of the calling test. A test needs it if it
// depends on files that it does not read itself, such as a program that it builds: Go's test
// cache does not notice changes of these files. Uncached reads an environment variable that each
// run of test/services sets to a new value, so Go runs the tests of the package again.
func Uncached() { _ = os.Getenv("INTERLOCK_TEST_RUN") }
