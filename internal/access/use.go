package access

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"interlock/internal/base/principal"
)

const (
	// markEvery is how exact the last use of a token or a session is kept.
	markEvery = time.Minute
	// markTimeout bounds that statement, which must not hold a request up.
	markTimeout = 500 * time.Millisecond
	// mostMarks bounds what a process remembers of what it wrote.
	mostMarks = 10_000
)

// use is the use of a credential that is to be kept.
type use struct {
	credential string
	// table, column and key find its row.
	table, column, key string
	tenantID           int64
	// written is the last use in the row; nil when it is not known.
	written *time.Time
}

// marks remembers when this process last wrote each credential's use, so that a
// database that takes no writes is not asked again and again.
type marks struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// due reports whether a use is to be written now. It counts as written from then on, also
// when the write fails.
func (m *marks) due(of use, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of.written != nil && now.Sub(*of.written) < markEvery || now.Sub(m.last[of.credential]) < markEvery {
		return false
	}
	if m.last == nil || len(m.last) >= mostMarks {
		m.last = make(map[string]time.Time)
	}
	m.last[of.credential] = now
	return true
}

// markUsed notes that a credential is in use:
//
//	UPDATE api_tokens SET last_used_time = ? WHERE tenant_id = ? AND id = ?
//	UPDATE sessions SET last_used_time = ? WHERE tenant_id = ? AND token_hash = ?
//
// It leaves the version alone, since nothing was edited. A mark that cannot be
// written is no reason to refuse the request.
func (s *Service) markUsed(ctx context.Context, of use) {
	now := s.clock.Now()
	if !s.marks.due(of, now) {
		return
	}
	ctx, cancel := context.WithTimeout(principal.With(ctx, principal.System(of.tenantID, "authentication")), markTimeout)
	defer cancel()
	statement := "UPDATE " + of.table + " SET last_used_time = ? WHERE tenant_id = ? AND " + of.column + " = ?"
	if err := s.store.db.Write(ctx).Exec(statement, now, of.tenantID, of.key).Error; err != nil {
		slog.WarnContext(ctx, "the use of a credential could not be noted", "credential", of.credential, "error", err)
	}
}
