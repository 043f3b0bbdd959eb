package access

import (
	"context"
	"fmt"
	"strconv"

	"gorm.io/gorm"

	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

var sessionSorts = storage.Sorts{Columns: map[string]string{"createdTime": "created_time"}, Default: "-createdTime"}

// errForeignSessions returns the error for callers who may not see or end a session.
func errForeignSessions() error {
	return apperr.New(apperr.Forbidden, "Sign in to see or end your own sessions; those of others need the permission %s, which you do not have.", users.WriteUsersPermission)
}

// seesSessionsOf reports whether the caller may see and end a user's sessions. An API token may
// not do so for its user: a leaked token would reveal the user's addresses, and end the user's
// sessions.
func seesSessionsOf(caller principal.Principal, userID int64) bool {
	return caller.May(users.WriteUsersPermission) || caller.Kind == principal.Admin && caller.UserID == userID
}

// OpenSessions returns one page of a user's sessions; 0 is the caller. Errors: Forbidden.
func (s *Service) OpenSessions(ctx context.Context, userID int64, page storage.Page) (storage.Listing[sessions.Session], error) {
	caller, _ := principal.From(ctx)
	if userID == 0 {
		userID = caller.UserID
	}
	if !seesSessionsOf(caller, userID) {
		return storage.Listing[sessions.Session]{}, errForeignSessions()
	}
	filters := append([]storage.Filter{storage.Equal("user_id", userID)}, s.sessionStore.Live(s.clock.Now())...)
	listing, err := storage.List[sessions.Session](s.db.Read(ctx), page, sessionSorts, filters...)
	if err != nil {
		return listing, fmt.Errorf("list sessions: %w", err)
	}
	owner, err := users.FindUser(s.db.Read(ctx), userID)
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
func (s *Service) OpenSession(ctx context.Context, id int64) (*sessions.Session, error) {
	caller, _ := principal.From(ctx)
	var row sessions.Session
	err := s.sessionStore.Open(s.db.Read(ctx)).Where("id = ?", id).Take(&row).Error
	if err == nil && !seesSessionsOf(caller, row.UserID) {
		err = gorm.ErrRecordNotFound
	}
	return &row, storage.Found(err, "session", strconv.FormatInt(id, 10))
}

// EndSession ends a session and its streams: immediately in this process and within one second in
// others. It succeeds if the session has already ended.
func (s *Service) EndSession(ctx context.Context, u *uow.Unit, session *sessions.Session) error {
	tx, err := s.Tenants.BumpRevision(ctx, u)
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
	tx, err := s.Tenants.BumpRevision(ctx, u)
	if err != nil {
		return err
	}
	ended, err := sessions.EndAll(tx, caller.TenantID, caller.UserID, secrets.DigestOf(token))
	if err != nil {
		return err
	}
	u.Audit(uow.Entry{Action: "session.end-others", Resource: "session", Detail: map[string]any{"ended": ended}})
	return nil
}
