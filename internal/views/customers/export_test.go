package customers

import (
	"context"
	"slices"
)

// Read is a statement that reads rows of a table, with its values.
type Read struct {
	Table, Statement string
	Values           []any
}

// Reads returns the first read of each table and one after a position.
func (s *Service) Reads(ctx context.Context) (reads []Read) {
	e := newErasure("kim@example.org", "erased-x", []byte("secret"))
	for _, t := range slices.Concat(s.tables, s.contents, []table{aggregates, writers, approvals, wallets, entries}) {
		for _, place := range [][]any{nil, slices.Repeat([]any{17}, len(t.key))} {
			statement, values := s.looks(ctx, t, e, place)
			reads = append(reads, Read{t.name, statement, values})
		}
	}
	return reads
}
