//go:build !faults

package wallets_test

// What `make test` has time for; `make faults` makes all of them.
const oppositeTransfers = 600
