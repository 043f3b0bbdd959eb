package refunds

import (
	"math/bits"

	"interlock/internal/orders"
)

// shares divides an order's payment among its lines: price × quantity, less the line's part of the
// discount, so that the shares add up to the order's amount. The discount is divided in proportion
// by the largest-remainder method (Hamilton): each line gets the integer part of its quota, and the
// remaining units go to the lines with the largest remainders; of two lines with equal remainders,
// the earlier one comes first.
//
// The sum of the lines fits an int64, and the discount is not larger.
func shares(lines []orders.Line, discount int64) []int64 {
	var sum uint64
	for _, line := range lines {
		sum += uint64(line.Price) * uint64(line.Quantity)
	}
	paid, remainders := make([]int64, len(lines)), make([]uint64, len(lines))
	remaining := discount
	for i, line := range lines {
		gross := uint64(line.Price) * uint64(line.Quantity)
		paid[i] = int64(gross)
		if sum == 0 {
			continue
		}
		high, low := bits.Mul64(uint64(discount), gross)
		quota, remainder := bits.Div64(high, low, sum)
		paid[i] -= int64(quota)
		remaining -= int64(quota)
		remainders[i] = remainder
	}
	for ; remaining > 0; remaining-- {
		largest := 0
		for i, remainder := range remainders {
			if remainder > remainders[largest] {
				largest = i
			}
		}
		paid[largest]--
		remainders[largest] = 0
	}
	return paid
}

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
