package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// endSessions ends a user's sessions, except the one whose token has the digest kept, and returns
// their number. The zero digest ends all. It also deletes the user's challenges.
func endSessions(tx *gorm.DB, tenantID, userID int64, kept digest) (int64, error) {
	if err := tx.Exec("DELETE FROM sign_in_challenges WHERE tenant_id = ? AND user_id = ?", tenantID, userID).Error; err != nil {
		return 0, fmt.Errorf("end the user's sign-ins: %w", err)
	}
	const statement = "DELETE FROM sessions WHERE tenant_id = ? AND user_id = ? AND token_hash <> ?"
	result := tx.Exec(statement, tenantID, userID, kept.String())
	if result.Error != nil {
		return 0, fmt.Errorf("end the user's sessions: %w", result.Error)
	}
	return result.RowsAffected, nil
}

type unitKey struct{}

// inUnit returns a context in which the session store uses the unit's transaction.
func inUnit(ctx context.Context, u *uow.Unit) context.Context {
	return context.WithValue(ctx, unitKey{}, u)
}

// origin is the origin of a sign-in.
type origin struct {
	address, userAgent string
	// began is the start of a renewed session; zero for a new one.
	began time.Time
}

type originKey struct{}

// sessionStore stores scs's sessions in the database. It finds sessions of all tenants, because
// the tenant is only known from the session.
type sessionStore struct {
	db    *storage.DB
	clock clock.Clock
	// idle is the time without use after which a session ends; 0 means never.
	idle time.Duration
}

// FindCtx implements scs.CtxStore.
func (s sessionStore) FindCtx(ctx context.Context, tokenHash string) ([]byte, bool, error) {
	db := s.db.Read(storage.AcrossTenants(ctx))
	if u, ok := ctx.Value(unitKey{}).(*uow.Unit); ok {
		tx, err := u.Tx(ctx)
		if err != nil {
			return nil, false, err
		}
		db = tx.WithContext(storage.AcrossTenants(ctx))
	}
	var row OpenSession
	err := s.open(db).Where("token_hash = ?", tokenHash).Take(&row).Error
	if storage.IsNotFound(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return row.Data, true, nil
}

// CommitCtx implements scs.CtxStore for new sessions: a session belongs to the principal of ctx
// and is not changed afterwards. A renewed session is a new row with the original start time.
func (s sessionStore) CommitCtx(ctx context.Context, tokenHash string, data []byte, expires time.Time) error {
	tx, err := s.tx(ctx)
	if err != nil {
		return err
	}
	owner, _ := principal.From(ctx)
	from, _ := ctx.Value(originKey{}).(origin)
	now := s.clock.Now()
	row := OpenSession{
		UserID: owner.UserID, TokenHash: tokenHash, Data: data, Address: from.address, UserAgent: from.userAgent,
		ExpiresTime: expires, CreatedTime: now,
	}
	if !from.began.IsZero() {
		row.CreatedTime, row.LastUsedTime = from.began, &now
	}
	return tx.Create(&row).Error
}

// DeleteCtx implements scs.CtxStore.
func (s sessionStore) DeleteCtx(ctx context.Context, tokenHash string) error {
	tx, err := s.tx(ctx)
	if err != nil {
		return err
	}
	return tx.WithContext(storage.AcrossTenants(ctx)).Exec("DELETE FROM sessions WHERE token_hash = ?", tokenHash).Error
}

// Find, Commit and Delete implement scs.Store; scs calls only the variants with a context.
func (s sessionStore) Find(tokenHash string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), tokenHash)
}

// Commit implements scs.Store.
func (s sessionStore) Commit(tokenHash string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), tokenHash, data, expires)
}

// Delete implements scs.Store.
func (s sessionStore) Delete(tokenHash string) error {
	return s.DeleteCtx(context.Background(), tokenHash)
}

var errOutsideUnit = errors.New("access: a session was begun or ended outside a unit")

// tx returns the unit's transaction: sessions start and end only in units.
func (s sessionStore) tx(ctx context.Context) (*gorm.DB, error) {
	u, ok := ctx.Value(unitKey{}).(*uow.Unit)
	if !ok {
		return nil, errOutsideUnit
	}
	return u.Tx(ctx)
}

// ends returns the end of a session without further use.
func (s sessionStore) ends(row OpenSession) time.Time {
	if s.idle == 0 {
		return row.ExpiresTime
	}
	used := row.CreatedTime
	if row.LastUsedTime != nil {
		used = *row.LastUsedTime
	}
	if idle := used.Add(s.idle); idle.Before(row.ExpiresTime) {
		return idle
	}
	return row.ExpiresTime
}
