package storage

import (
	"fmt"

	"gorm.io/gorm"
)

// Attach reads the parts of records, such as the lines of orders, in one query, and appends each to
// its record. column contains the id of the record; to returns the id and the parts of a record, and
// owner the id of the record of a part:
//
//	SELECT * FROM parts WHERE tenant_id = ? AND column IN (…) ORDER BY id
func Attach[R, P any](db *gorm.DB, column string, records []*R, to func(*R) (id int64, parts *[]P), owner func(P) int64) error {
	ids := make([]int64, len(records))
	partsOf := make(map[int64]*[]P, len(records))
	for i, record := range records {
		id, parts := to(record)
		ids[i], partsOf[id] = id, parts
	}
	var found []P
	if err := db.Where(column+" IN ?", ids).Order("id").Find(&found).Error; err != nil {
		return fmt.Errorf("read the parts of records by %s: %w", column, err)
	}
	for _, part := range found {
		parts := partsOf[owner(part)]
		*parts = append(*parts, part)
	}
	return nil
}
