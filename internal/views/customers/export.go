package customers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/module"
)

// exported returns the tables of an export: the erased ones, and the lines of orders, shipments and refunds.
// Of transfers only the customer's side is exported.
func (s *Service) exported() []table {
	return slices.Concat([]table{
		{"orders", []string{id}, nil, module.ByCustomer},
		{"order_lines", []string{id}, nil, module.OwnedBy("orders", "order_id")},
		{"shipment_lines", []string{id}, nil, module.OwnedBy("orders", "order_id")},
		{"refund_lines", []string{id}, nil, module.OwnedBy("refunds", "refund_id")},
		wallets,
		{"wallet_entries", []string{id}, nil, module.ByCustomer},
		approvals, aggregates, writers,
	}, slices.DeleteFunc(slices.Clone(s.tables), func(t table) bool { return slices.Contains([]string{"orders", "wallets", "wallet_entries"}, t.name) }))
}

// head and tail are the first and the last line of an export; each line in between is a
// row.
type head struct {
	Customer principal.CustomerID `json:"customer"`
	// Currency is of all amounts in the rows.
	Currency     string    `json:"currency"`
	ExportedTime time.Time `json:"exportedTime"`
}

type line struct {
	Table string         `json:"table"`
	Row   map[string]any `json:"row"`
}

type tail struct {
	Rows int `json:"rows"`
}

// secrets are columns without data of the customer that could be misused.
var secrets = []string{"fingerprint", "sealed_fingerprint", "secret"}

// Export writes all stored data of a customer as JSON lines (application/x-ndjson): the
// rows of tables, both those about the customer and those that contain the id. An export
// without its last line, which counts the others, is truncated. Stored replies are copies
// of these data, and are not included.
func (s *Service) Export(ctx context.Context, customer principal.CustomerID, out io.Writer, now time.Time) (rows int, err error) {
	if !customer.Valid() {
		return 0, apperr.Invalid(apperr.Field{Pointer: "/userId", Code: "pattern", Message: customer.Rule()})
	}
	if err := write(out, head{customer, principal.CurrencyOf(ctx), now}); err != nil {
		return 0, err
	}
	e := newErasure(customer, "\x00", nil)
	for _, t := range s.exported() {
		err := s.each(ctx, t, e, func(hit found) error {
			if !hit.own && len(t.changes(e, hit)) == 0 {
				return nil
			}
			row, err := s.row(ctx, t, hit.key)
			if err != nil || row == nil {
				return err // nil: the row was deleted since
			}
			rows++
			return write(out, line{t.name, row})
		})
		if err != nil {
			return rows, err
		}
	}
	return rows, write(out, tail{rows})
}

func write(out io.Writer, value any) error {
	text, err := strictjson.Encode(value)
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

// row reads a row as a map by column names; nil if it was deleted.
func (s *Service) row(ctx context.Context, t table, key []any) (row map[string]any, err error) {
	tenant, _ := principal.From(ctx)
	where := "SELECT * FROM " + t.name + " WHERE tenant_id = ? AND " + strings.Join(t.key, " = ? AND ") + " = ?"
	rows, err := s.db.Read(ctx).Raw(where, append([]any{tenant.TenantID}, key...)...).Rows()
	if err != nil {
		return nil, s.db.Classify(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("read a row of %s: %w", t.name, err)
		}
		row = map[string]any{}
		for i, column := range columns {
			if !slices.Contains(secrets, column) {
				row[column] = shown(values[i])
			}
		}
	}
	return row, s.db.Classify(rows.Err())
}

// shown returns the JSON value of a column: a document unchanged, and others as text,
// number or time.
func shown(value any) any {
	if bytes, ok := value.([]byte); ok {
		value = string(bytes)
	}
	text, ok := value.(string)
	if ok && len(text) > 1 && strings.ContainsAny(text[:1], "{[") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return value
}
