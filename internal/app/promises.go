package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"interlock/internal/module"
	"interlock/internal/views/promises"
)

// Promises returns the promises of all domains, by guarantee.
func Promises() []module.Promise {
	list := collect(Declarations(), func(d *module.Declaration) []module.Promise { return d.Promises })
	slices.SortStableFunc(list, func(a, b module.Promise) int { return strings.Compare(a.Guarantee, b.Guarantee) })
	return list
}

// checkGates implements promises.Looker for the gates of flash sales.
func (sv *Services) checkGates(ctx context.Context, behind []any, limit int) ([]promises.Row, error) {
	var sale int64
	if len(behind) == 1 {
		sale, _ = behind[0].(int64)
	}
	balances, err := sv.FlashSales.Balances(ctx, sale, limit)
	rows := make([]promises.Row, len(balances))
	for i, b := range balances {
		rows[i] = promises.Row{TenantID: b.TenantID, Subject: fmt.Sprintf("flash-sales/%d", b.SaleID), Broken: !b.Balanced, Absent: b.Missing, Place: []any{b.SaleID}}
	}
	return rows, err
}

// CheckPromises checks every promise once, for all rows.
func (sv *Services) CheckPromises(ctx context.Context) ([]promises.Total, error) {
	return promises.Check(ctx, sv.DB, Promises(), sv.checkGates)
}
