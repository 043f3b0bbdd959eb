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

// sessionRow is one session. The token itself is only in the browser.
type sessionRow struct {
	ID          int64 `gorm:"primaryKey"`
	TenantID    int64
	UserID      int64
	TokenHash   string
	Data        []byte
	ExpiresTime time.Time
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (sessionRow) TableName() string { return "sessions" }

// endSessions ends all sessions of a user.
func endSessions(tx *gorm.DB, user User) error {
	const statement = "DELETE FROM sessions WHERE tenant_id = ? AND user_id = ?"
	if err := tx.Exec(statement, user.TenantID, user.ID).Error; err != nil {
		return fmt.Errorf("end the user's sessions: %w", err)
	}
	return nil
}

type unitKey struct{}

// inUnit returns a context under which the session store works in the unit's
// transaction.
func inUnit(ctx context.Context, u *uow.Unit) context.Context {
	return context.WithValue(ctx, unitKey{}, u)
}

// sessionStore keeps scs's sessions in our database. It finds a session whatever
// its tenant, since only the session says which that is.
type sessionStore struct {
	db    *storage.DB
	clock clock.Clock
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
	var row sessionRow
	err := db.Where("token_hash = ? AND expires_time > ?", tokenHash, s.clock.Now()).Take(&row).Error
	if storage.IsNotFound(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return row.Data, true, nil
}

// CommitCtx implements scs.CtxStore for new sessions: one belongs to the principal
// that it is begun as, and is not changed afterwards.
func (s sessionStore) CommitCtx(ctx context.Context, tokenHash string, data []byte, expires time.Time) error {
	tx, err := s.tx(ctx)
	if err != nil {
		return err
	}
	owner, _ := principal.From(ctx)
	return tx.Create(&sessionRow{
		UserID: owner.UserID, TokenHash: tokenHash, Data: data,
		ExpiresTime: expires, CreatedTime: s.clock.Now(),
	}).Error
}

// DeleteCtx implements scs.CtxStore.
func (s sessionStore) DeleteCtx(ctx context.Context, tokenHash string) error {
	tx, err := s.tx(ctx)
	if err != nil {
		return err
	}
	return tx.WithContext(storage.AcrossTenants(ctx)).Exec("DELETE FROM sessions WHERE token_hash = ?", tokenHash).Error
}

// Find, Commit and Delete implement scs.Store, whose methods scs prefers with a
// context and then never calls without.
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

// tx returns the unit's transaction: sessions begin and end in units only.
func (s sessionStore) tx(ctx context.Context) (*gorm.DB, error) {
	u, ok := ctx.Value(unitKey{}).(*uow.Unit)
	if !ok {
		return nil, errOutsideUnit
	}
	return u.Tx(ctx)
}
