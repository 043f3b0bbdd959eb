//go:build !faults

package orders_test

import "time"

// What `make test` has time for; `make faults` runs all rounds.
const (
	raceRounds = 1000
	raceBudget = 5 * time.Second
)
