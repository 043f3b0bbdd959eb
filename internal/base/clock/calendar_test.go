package clock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDaysFollowTheZone(t *testing.T) {
	for _, c := range []struct {
		zone, day, start string
		hours            float64
	}{
		{"UTC", "2026-03-29", "2026-03-29T00:00:00Z", 24},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25},
		{"Asia/Kathmandu", "2026-01-01", "2025-12-31T18:15:00Z", 24},
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", 24.5},
		// Midnight does not exist.
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", 23},
		// The first hour occurs twice.
		{"Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00Z", 25},
		// 30 December does not exist.
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", 24},
		{"America/Havana", "2025-11-02", "2025-11-02T04:00:00Z", 25},
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		noon, err := time.ParseInLocation("2006-01-02 15", c.day+" 12", zone)
		require.NoError(t, err)
		start := StartOfDay(noon)
		require.Equal(t, c.start, start.UTC().Format(time.RFC3339), "%s %s", c.zone, c.day)
		require.InDelta(t, c.hours, AddDays(noon, 1).Sub(start).Hours(), 0, "%s %s", c.zone, c.day)
	}
}
