package refunds

import "interlock/internal/orders"

// What the tests of this package see of its inside.
var Shares = shares

// WorthOf is worthOf, for pieces of which some have been refunded.
func WorthOf(share, quantity, takenPieces, takenWorth, pieces int64) int64 {
	return worthOf(share, quantity, refundedPart{Quantity: takenPieces, Worth: takenWorth}, pieces)
}

// LinesOf makes the lines of an order, by price and quantity.
func LinesOf(pairs ...[2]int64) []orders.Line {
	lines := make([]orders.Line, len(pairs))
	for i, pair := range pairs {
		lines[i] = orders.Line{Price: pair[0], Quantity: pair[1]}
	}
	return lines
}
