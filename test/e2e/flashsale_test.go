package e2e_test

import (
	"testing"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
	"interlock/test/burst"
	"interlock/test/tier"
)

// Proves G5.29.
func TestConcurrentPurchasesMatchTheAllotment(t *testing.T) {
	t.Run("embedded", func(t *testing.T) {
		p := apptest.Start(t, apptest.Settings(t.TempDir()))
		crowd(t, p)
	})
	t.Run("redis and mariadb", func(t *testing.T) {
		s := apptest.Settings(t.TempDir())
		s.DatabaseURL, s.RedisURL = storagetest.NewMariaDBURL(t), redistest.NewServer(t).URL()
		crowd(t, apptest.Start(t, s))
	})
}

func crowd(t *testing.T, p *apptest.Program) {
	sale := burst.Open(t, tier.Rounds(50, 200), tier.Rounds(500, 2000), p.Admin(t))
	sale.Rush(t)
	sale.Verify(t)
}
