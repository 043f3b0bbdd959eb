package shop

import (
	"testing"

	"go.uber.org/goleak"

	"interlock/internal/base/storage/storagetest"
)

func TestMain(m *testing.M) {
	storagetest.Covers("internal/catalog", "internal/inventory", "internal/wallets", "internal/coupons", "internal/orders", "internal/refunds")
	goleak.VerifyTestMain(m)
}
