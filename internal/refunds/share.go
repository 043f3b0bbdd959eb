package refunds

import "math/bits"

// refundedPart is the part of an order's line that its refunds already cover.
type refundedPart struct {
	SKU string
	// Quantity is in units, Worth in minor units. Returned are the units that return to stock as
	// returned goods.
	Quantity, Worth, Returned int64
}

// worthOf returns the worth of the next units of a line. The first n of q units are worth n/q of
// the line's share, rounded down, so that the last units include all rounding differences.
func worthOf(share, quantity int64, before refundedPart, units int64) int64 {
	high, low := bits.Mul64(uint64(share), uint64(before.Quantity+units))
	upTo, _ := bits.Div64(high, low, uint64(quantity))
	return max(int64(upTo)-before.Worth, 0)
}
