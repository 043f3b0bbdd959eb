package dashboard

// Pending is how many conflicts wait for the next flush.
func (l *ConflictLog) Pending() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	var pending int64
	for _, count := range l.pending {
		pending += count
	}
	return pending
}
