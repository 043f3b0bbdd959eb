package main

// shipping are breaks of shipments, and of the conditions of an order's steps on its units and its
// payment.
var shipping = []mutant{
	{
		name: "more units are shipped than are to ship",
		file: "internal/orders/ship.go", old: `violations.Check(line.Quantity <= toShip,`, new: `violations.Check(line.Quantity <= toShip+100,`,
		caught: tests{"test/shop": {"TestInvalidShipmentIsRejectedByField"}},
	},
	{
		name: "the units of a line go below zero",
		file: "internal/orders/ship.go", old: `violations.Check(line.Quantity <= toShip,`, new: `violations.Check(line.Quantity <= toShip+100,`,
		also: []edit{
			{"internal/orders/lines.go", `if line.ToShip < 0 || line.InRefund < 0 ||`, `if line.ToShip < -100 || line.InRefund < 0 ||`},
			{"internal/orders/lines.go", `AND sku = ? AND to_ship + ? >= 0 AND in_refund`, `AND sku = ? AND to_ship + ? >= -100 AND in_refund`},
		},
		caught: tests{"test/shop": {"TestInvalidShipmentIsRejectedByField"}},
	},
	{
		name: "a prepaid order is shipped unpaid",
		file: "internal/orders/ship.go", old: `o.Status == pending.Code && o.PaymentTerms == Prepaid`, new: `o.Status == pending.Code && o.PaymentTerms == ""`,
		caught: tests{"test/shop": {"TestOrderOnTermsShipsUnpaid"}},
	},
	{
		name: "an order is completed with an amount due",
		file: "internal/orders/complete.go", old: `due > 0 {`, new: `due < 0 {`,
		also:   []edit{{"internal/orders/status.go", `return o.Due() > 0`, `return o.Due() < 0`}},
		caught: tests{"test/shop": {"TestOrderOnTermsShipsUnpaid", "TestAnySequenceOfStepsConservesMoneyAndStock"}},
	},
	{
		name: "an order is cancelled while the customer has its units",
		file: "internal/orders/cancel.go", old: `case o.unitsOut() > 0:`, new: `case o.unitsOut() < 0:`,
		also:   []edit{{"internal/orders/cancel.go", `return o.unitsOut() == 0 && (`, `return o.unitsOut() >= 0 && (`}},
		caught: tests{"test/shop": {"TestOrderIsShippedByItsLastParcel", "TestAnySequenceOfStepsConservesMoneyAndStock"}},
	},
	{
		name: "a sale gets a part of an order's units back",
		file: "internal/orders/cancel.go", old: `(o.SaleID == nil || o.unitsShipped() == 0)`, new: `(o.SaleID == nil || o.unitsShipped() >= 0)`,
		caught: tests{"internal/flashsale": {"TestShippedSaleOrderCannotBeCancelled"}},
	},
	{
		name: "an order is shipped by its first parcel",
		file: "internal/orders/status.go", old: `o.unitsHeld() == 0 && o.unitsShipped() > 0`, new: `o.unitsHeld() >= 0 && o.unitsShipped() > 0`,
		caught: tests{"test/shop": {"TestOrderIsShippedByItsLastParcel", "TestAnySequenceOfStepsConservesMoneyAndStock"}},
	},
	{
		name: "a refund of the last units leaves the order partly shipped",
		file: "internal/orders/refund.go", old: `return possible && after.reaches(shipped)`, new: `return possible && after.reaches(shipped) && m.Action == ""`,
		caught: tests{"test/shop": {"TestRefundOfTheLastUnitsShipsTheOrder", "TestAnySequenceOfStepsConservesMoneyAndStock"}},
	},
	{
		name: "the parcels of an order have one reference",
		file: "internal/orders/parcel.go", old: `fmt.Sprintf("@shipments/%d", p.ID)`, new: `fmt.Sprintf("@shipments/%d", p.OrderID)`,
		caught: tests{"test/shop": {"TestOrderIsShippedByItsLastParcel", "TestRepeatedShipmentIsMadeOnce"}},
	},
}
