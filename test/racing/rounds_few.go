//go:build !faults

package racing

const wholeRun = false
