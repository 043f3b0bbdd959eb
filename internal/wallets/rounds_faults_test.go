//go:build faults

package wallets_test

const oppositeTransfers = 10_000
