package access

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// OpenSession is a session that has not ended. Only the browser has its token.
type OpenSession struct {
	ID       int64 `gorm:"primaryKey"`
	TenantID int64
	UserID   int64
	// Username is the user's name, for display.
	Username  string `gorm:"-"`
	TokenHash string
	Data      []byte
	// Address and UserAgent are those of the sign-in.
	Address     string
	UserAgent   string
	ExpiresTime time.Time
	// LastUsedTime is accurate to markEvery, and nil before the first use.
	LastUsedTime *time.Time
	CreatedTime  time.Time
}

// TableName implements gorm's Tabler.
func (OpenSession) TableName() string { return "sessions" }

var sessionSorts = storage.Sorts{Columns: map[string]string{"createdTime": "created_time"}, Default: "-createdTime"}

// errForeignSessions returns the error for callers who may not see or end a session.
func errForeignSessions() error {
	return apperr.New(apperr.Forbidden, "Sign in to see or end your own sessions; those of others need the permission %s, which you do not have.", writeUsersPermission)
}

// seesSessionsOf reports whether the caller may see and end a user's sessions. An API token may
// not do so for its user: a leaked token would reveal the user's addresses, and end the user's
// sessions.
func seesSessionsOf(caller principal.Principal, userID int64) bool {
	return caller.May(writeUsersPermission) || caller.Kind == principal.Admin && caller.UserID == userID
}

// open selects the sessions that have not ended.
func (s sessionStore) open(db *gorm.DB) *gorm.DB {
	now := s.clock.Now()
	return storage.Apply(db, s.live(now)...)
}

// byHash reads an open session by the digest of its token. Errors: gorm.ErrRecordNotFound.
func (s sessionStore) byHash(db *gorm.DB, tokenHash string) (OpenSession, error) {
	var row OpenSession
	err := s.open(db).Where("token_hash = ?", tokenHash).Take(&row).Error
	return row, err
}

// live returns the conditions of an open session.
func (s sessionStore) live(now time.Time) []storage.Filter {
	filters := []storage.Filter{storage.Examined("sessions.expires_time > ?", now)}
	if s.idle > 0 {
		filters = append(filters, storage.Examined("COALESCE(sessions.last_used_time, sessions.created_time) > ?", now.Add(-s.idle)))
	}
	return filters
}

// OpenSessions returns one page of a user's sessions; 0 is the caller. Errors: Forbidden.
func (s *Service) OpenSessions(ctx context.Context, userID int64, page storage.Page) (storage.Listing[OpenSession], error) {
	caller, _ := principal.From(ctx)
	if userID == 0 {
		userID = caller.UserID
	}
	if !seesSessionsOf(caller, userID) {
		return storage.Listing[OpenSession]{}, errForeignSessions()
	}
	filters := append([]storage.Filter{storage.Equal("user_id", userID)}, s.sessionStore.live(s.sessionStore.clock.Now())...)
	listing, err := storage.List[OpenSession](s.store.db.Read(ctx), page, sessionSorts, filters...)
	if err != nil {
		return listing, fmt.Errorf("list sessions: %w", err)
	}
	owner, err := findUser(s.store.db.Read(ctx), userID)
	if storage.IsNotFound(err) {
		return listing, nil
	}
	if err != nil {
		return listing, err
	}
	for _, row := range listing.Pointers() {
		row.Username = owner.Username
	}
	return listing, nil
}

// OpenSession returns a session that the caller may see. Errors: NotFound.
func (s *Service) OpenSession(ctx context.Context, id int64) (*OpenSession, error) {
	caller, _ := principal.From(ctx)
	var row OpenSession
	err := s.sessionStore.open(s.store.db.Read(ctx)).Where("id = ?", id).Take(&row).Error
	if err == nil && !seesSessionsOf(caller, row.UserID) {
		err = gorm.ErrRecordNotFound
	}
	return &row, storage.Found(err, "session", strconv.FormatInt(id, 10))
}

// EndSession ends a session and its streams: immediately in this process and within one second in
// others. It is no error if the session has ended already.
func (s *Service) EndSession(ctx context.Context, u *uow.Unit, session *OpenSession) error {
	tx, err := s.raise(ctx, u)
	if err != nil {
		return err
	}
	const statement = "DELETE FROM sessions WHERE tenant_id = ? AND id = ?"
	if err := tx.Exec(statement, session.TenantID, session.ID).Error; err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	u.Audit(uow.Entry{Action: "session.end", Resource: "session", Detail: map[string]any{"sessionId": session.ID, "userId": session.UserID}})
	return nil
}

// EndOtherSessions ends all sessions of the caller, except the one with this token. Errors:
// Forbidden for an API token or a customer.
func (s *Service) EndOtherSessions(ctx context.Context, u *uow.Unit, token string) error {
	caller, _ := principal.From(ctx)
	if caller.Kind != principal.Admin {
		return errForeignSessions()
	}
	tx, err := s.raise(ctx, u)
	if err != nil {
		return err
	}
	ended, err := endSessions(tx, caller.TenantID, caller.UserID, digestOf(token))
	if err != nil {
		return err
	}
	u.Audit(uow.Entry{Action: "session.end-others", Resource: "session", Detail: map[string]any{"ended": ended}})
	return nil
}
