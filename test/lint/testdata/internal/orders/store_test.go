package orders_test

import (
	"testing"
	"time"

	"gorm.io/gorm"

	"interlock/internal/orders"
)

func TestArrangesItsRows(t *testing.T) {
	tx := &gorm.DB{}
	tx.Updates(time.Now())
	tx.Save(time.Now())     // forbidden: forbidigo
	time.Sleep(time.Second) // forbidden: forbidigo
	orders.Write(t.Context(), tx, nil)
}
