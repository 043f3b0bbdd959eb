//go:build faults

package workorders_test

const waiting = 1000
