// Package sessions stores the sessions of users: their rows, their values and their cookie.
//
// Sessions start and end in units. A session that ends, or a challenge that is deleted with it, opens
// nothing from then on.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alexedwards/scs/v2"
	"gorm.io/gorm"

	"interlock/internal/access/secrets"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Cookie is the name of the session cookie without TLS.
const Cookie = "interlock_session"

// hostSessionCookie is the cookie's name over TLS. The plain name is ignored there: a page of a
// sibling host could have set that cookie, to make a visitor act in the attacker's session.
const hostSessionCookie = "__Host-" + Cookie

// CookieName returns the name of the session cookie on a connection.
func CookieName(secure bool) string {
	if secure {
		return hostSessionCookie
	}
	return Cookie
}

// Keys of a session's values.
const (
	KeyID = "id"
	// Only the previous release reads the tenant and the user of the values; this one reads the
	// columns of the row.
	KeyTenant = "tenant"
	KeyUser   = "user"
	KeyCSRF   = "csrf"
	// KeyFactorTime is the time of the last second factor, in microseconds since 1970; 0 for
	// never.
	KeyFactorTime = "factorTime"
)

// NewManager makes scs's manager without scs.New, which starts a memory store
// whose goroutine never ends.
func NewManager(store scs.CtxStore, lifetime time.Duration) *scs.SessionManager {
	return &scs.SessionManager{
		Store: store, Codec: scs.GobCodec{}, Lifetime: lifetime, HashTokenInStore: true,
	}
}

// CredentialID returns the credential id of a session in principals and the audit log.
func CredentialID(id string) string { return "session:" + id }

// Session is a session that has not ended. Only the browser has its token.
type Session struct {
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
func (Session) TableName() string { return "sessions" }

// Open selects the sessions that have not ended.
func (s *Store) Open(db *gorm.DB) *gorm.DB {
	now := s.clock.Now()
	return storage.Apply(db, s.Live(now)...)
}

// ByHash reads an open session by the digest of its token. Errors: gorm.ErrRecordNotFound.
func (s *Store) ByHash(db *gorm.DB, tokenHash string) (Session, error) {
	var row Session
	err := s.Open(db).Where("token_hash = ?", tokenHash).Take(&row).Error
	return row, err
}

// Live returns the conditions of an open session.
func (s *Store) Live(now time.Time) []storage.Filter {
	filters := []storage.Filter{storage.Examined("sessions.expires_time > ?", now)}
	if s.Idle > 0 {
		filters = append(filters, storage.Examined("COALESCE(sessions.last_used_time, sessions.created_time) > ?", now.Add(-s.Idle)))
	}
	return filters
}

// EndAll ends a user's sessions, except the one whose token has the digest kept, and returns
// their number. The zero digest ends all. It also deletes the user's challenges.
func EndAll(tx *gorm.DB, tenantID, userID int64, kept secrets.Digest) (int64, error) {
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

// InUnit returns a context in which the session store uses the unit's transaction.
func InUnit(ctx context.Context, u *uow.Unit) context.Context {
	return context.WithValue(ctx, unitKey{}, u)
}

// Origin is the origin of a sign-in.
type Origin struct {
	Address, UserAgent string
	// Began is the start of a renewed session; zero for a new one.
	Began time.Time
}

type originKey struct{}

// Starting returns a context in which the session store starts a session in the unit.
func Starting(ctx context.Context, u *uow.Unit, from Origin) context.Context {
	return context.WithValue(InUnit(ctx, u), originKey{}, from)
}

// NewStore returns the sessions of a database. idle is the time without use after which a session
// ends; 0 means never.
func NewStore(db *storage.DB, now clock.Clock, idle time.Duration) *Store {
	return &Store{db: db, clock: now, Idle: idle}
}

// Store stores scs's sessions in the database. It finds sessions of all tenants, because
// the tenant is only known from the session.
type Store struct {
	db    *storage.DB
	clock clock.Clock
	// Idle is the time without use after which a session ends; 0 means never.
	Idle time.Duration
}

// FindCtx implements scs.CtxStore.
func (s *Store) FindCtx(ctx context.Context, tokenHash string) ([]byte, bool, error) {
	db := s.db.Read(storage.AcrossTenants(ctx))
	if u, ok := ctx.Value(unitKey{}).(*uow.Unit); ok {
		tx, err := u.Tx(ctx)
		if err != nil {
			return nil, false, err
		}
		db = tx.WithContext(storage.AcrossTenants(ctx))
	}
	var row Session
	err := s.Open(db).Where("token_hash = ?", tokenHash).Take(&row).Error
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
func (s *Store) CommitCtx(ctx context.Context, tokenHash string, data []byte, expires time.Time) error {
	tx, err := s.tx(ctx)
	if err != nil {
		return err
	}
	owner, _ := principal.From(ctx)
	from, _ := ctx.Value(originKey{}).(Origin)
	now := s.clock.Now()
	row := Session{
		UserID: owner.UserID, TokenHash: tokenHash, Data: data, Address: from.Address, UserAgent: from.UserAgent,
		ExpiresTime: expires, CreatedTime: now,
	}
	if !from.Began.IsZero() {
		row.CreatedTime, row.LastUsedTime = from.Began, &now
	}
	return tx.Create(&row).Error
}

// DeleteCtx implements scs.CtxStore.
func (s *Store) DeleteCtx(ctx context.Context, tokenHash string) error {
	tx, err := s.tx(ctx)
	if err != nil {
		return err
	}
	return tx.WithContext(storage.AcrossTenants(ctx)).Exec("DELETE FROM sessions WHERE token_hash = ?", tokenHash).Error
}

// Find implements scs.Store, as Commit and Delete do; scs calls only the variants with a context.
func (s *Store) Find(tokenHash string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), tokenHash)
}

// Commit implements scs.Store.
func (s *Store) Commit(tokenHash string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), tokenHash, data, expires)
}

// Delete implements scs.Store.
func (s *Store) Delete(tokenHash string) error {
	return s.DeleteCtx(context.Background(), tokenHash)
}

var errOutsideUnit = errors.New("access: a session was started or ended outside a unit")

// tx returns the unit's transaction: sessions start and end only in units.
func (s *Store) tx(ctx context.Context) (*gorm.DB, error) {
	u, ok := ctx.Value(unitKey{}).(*uow.Unit)
	if !ok {
		return nil, errOutsideUnit
	}
	return u.Tx(ctx)
}

// Ends returns the end of a session without further use.
func (s *Store) Ends(row Session) time.Time {
	if s.Idle == 0 {
		return row.ExpiresTime
	}
	used := row.CreatedTime
	if row.LastUsedTime != nil {
		used = *row.LastUsedTime
	}
	if idle := used.Add(s.Idle); idle.Before(row.ExpiresTime) {
		return idle
	}
	return row.ExpiresTime
}
