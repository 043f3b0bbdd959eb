//go:build !faults

package flashsale_test

// What `make test` has time for; `make faults` runs 200 rounds.
const (
	raceRounds = 1
	// wordRounds is of sales to which anything happens.
	wordRounds = 3
)
