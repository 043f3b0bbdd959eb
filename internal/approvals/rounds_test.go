//go:build !faults

package approvals_test

import "time"

// What `make test` has time for; `make faults` runs all rounds.
const (
	raceRounds = 50
	raceBudget = 3 * time.Second
)
