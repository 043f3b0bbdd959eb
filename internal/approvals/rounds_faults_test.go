//go:build faults

package approvals_test

import "time"

const (
	raceRounds = 1000
	raceBudget = 20 * time.Minute
)
