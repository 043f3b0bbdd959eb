//go:build !faults

package workorders_test

// What `make test` has time for; `make faults` has as many as promised.
const waiting = 300
