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

// endSessions ends the sessions of a user, but the one with a token that is kept, and returns
// how many there were. The zero digest is of no token. Sign-ins that wait for a second factor
// end with them.
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

// inUnit returns a context under which the session store works in the unit's
// transaction.
func inUnit(ctx context.Context, u *uow.Unit) context.Context {
	return context.WithValue(ctx, unitKey{}, u)
}

// origin is what a sign-in came from.
type origin struct {
	address, userAgent string
	// began is when a session that is renewed did; zero for one that begins.
	began time.Time
}

type originKey struct{}

// sessionStore keeps scs's sessions in our database. It finds a session whatever
// its tenant, since only the session says which that is.
type sessionStore struct {
	db    *storage.DB
	clock clock.Clock
	// idle is how long a session stays open without being used; 0 means until it expires.
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

// CommitCtx implements scs.CtxStore for new sessions: one belongs to the principal
// that it is begun as, and is not changed afterwards. One that is renewed is another one,
// which began when the first did.
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

// ends is when a session does if nobody uses it any more.
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
