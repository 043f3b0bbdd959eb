package dbcopy

import (
	"context"
	"fmt"
	"slices"
)

// tables returns the copied tables with their columns, in the order of their names. It fails if a
// table or a column exists on one side only, which the same schema version excludes.
func (t *target) tables(ctx context.Context, from *source) ([]*table, error) {
	var columns []struct {
		Of, Name, Type string
		Computed       bool
		// KeyPart is the position in the primary key, from 1; 0 for none.
		KeyPart int
	}
	const statement = "SELECT c.table_name AS `of`, c.column_name AS `name`, c.data_type AS `type`, COALESCE(c.generation_expression, '') <> '' AS computed, " +
		"COALESCE(s.seq_in_index, 0) AS key_part FROM information_schema.columns c " +
		"LEFT JOIN information_schema.statistics s ON s.table_schema = c.table_schema AND s.table_name = c.table_name AND s.column_name = c.column_name AND s.index_name = 'PRIMARY' " +
		"WHERE c.table_schema = DATABASE() ORDER BY c.table_name, c.ordinal_position"
	if err := t.db.Read(ctx).Raw(statement).Scan(&columns).Error; err != nil {
		return nil, fmt.Errorf("read the columns of the target: %w", err)
	}
	byName := map[string]*table{}
	for _, c := range columns {
		kind, ok := kinds[c.Type]
		switch {
		case !slices.Contains(from.tables, c.Of) || c.Computed:
			continue
		case !ok:
			return nil, fmt.Errorf("the column %s.%s of the target has the unknown type %s", c.Of, c.Name, c.Type)
		}
		of := byName[c.Of]
		if of == nil {
			of = &table{name: c.Of}
			byName[c.Of] = of
		}
		if c.KeyPart > 0 {
			of.key = append(of.key, make([]int, max(0, c.KeyPart-len(of.key)))...)
			of.key[c.KeyPart-1] = len(of.columns)
		}
		of.columns = append(of.columns, column{c.Name, kind})
	}
	list := make([]*table, 0, len(from.tables))
	for _, name := range from.tables {
		if err := sameColumns(byName[name], name, from); err != nil {
			return nil, err
		}
		list = append(list, byName[name])
	}
	return list, nil
}

// sameColumns compares the columns of a table on both sides.
func sameColumns(t *table, name string, from *source) error {
	stored, err := from.columns(name)
	if err != nil {
		return err
	}
	var copied []string
	if t != nil {
		for _, column := range t.columns {
			copied = append(copied, column.name)
		}
	}
	stored = append(stored, derivedColumns[name]...)
	slices.Sort(stored)
	slices.Sort(copied)
	if !slices.Equal(stored, copied) || len(t.key) == 0 {
		return fmt.Errorf("the table %s of the source has the columns %v, and that of the target %v: their schemas differ, so no copy is possible", name, stored, copied)
	}
	return nil
}
