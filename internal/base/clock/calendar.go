package clock

import "time"

// StartOfDay returns the first instant of a day in the location of t. It is not always midnight:
// zones skip and repeat hours.
func StartOfDay(t time.Time) time.Time {
	year, month, day := t.Date()
	// Since 1972, zones differ from UTC by multiples of 15 minutes.
	const step, shift = 15 * time.Minute, 3 * time.Hour
	start := time.Date(year, month, day, 0, 0, 0, 0, t.Location()).Add(-shift)
	for {
		if y, m, d := start.Date(); y == year && m == month && d == day {
			return start
		}
		start = start.Add(step)
	}
}

// AddDays returns the first instant of the day that is some days after the day of t. If the zone
// skips that day, it returns the next.
func AddDays(t time.Time, days int) time.Time {
	year, month, day := t.Date()
	noon := time.Date(year, month, day+days, 12, 0, 0, 0, t.Location())
	if noon.Format(time.DateOnly) < time.Date(year, month, day+days, 12, 0, 0, 0, time.UTC).Format(time.DateOnly) {
		noon = noon.Add(24 * time.Hour)
	}
	return StartOfDay(noon)
}
