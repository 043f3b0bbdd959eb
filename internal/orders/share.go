package orders

import "math/bits"

// LineTotals returns the totals of an order's lines: price × quantity, less the line's part of the
// order's discount. The totals add up to the order's amount without shipping and tax. The discount is
// divided in proportion by the largest-remainder method (Hamilton): each line gets the integer part
// of its quota, and the remaining units go to the lines with the largest remainders; of two lines
// with equal remainders, the earlier one comes first.
//
// The sum of the lines fits an int64, and the discount is not larger.
func LineTotals(lines []Line, discount int64) []int64 {
	var sum uint64
	for _, line := range lines {
		sum += uint64(line.Price) * uint64(line.Quantity)
	}
	totals, remainders := make([]int64, len(lines)), make([]uint64, len(lines))
	remaining := discount
	for i, line := range lines {
		gross := uint64(line.Price) * uint64(line.Quantity)
		totals[i] = int64(gross)
		if sum == 0 {
			continue
		}
		high, low := bits.Mul64(uint64(discount), gross)
		quota, remainder := bits.Div64(high, low, sum)
		totals[i] -= int64(quota)
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
		totals[largest]--
		remainders[largest] = 0
	}
	return totals
}
