//go:build !faults

package refunds_test

// What `make test` has time for; `make faults` runs more.
const crowdRounds = 2
