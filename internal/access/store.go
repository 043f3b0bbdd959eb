package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// store reads the tables of this domain.
type store struct{ db *storage.DB }

func (s store) tenantByName(ctx context.Context, name string) (Tenant, error) {
	var tenant Tenant
	err := s.db.Read(ctx).Where("name = ?", name).Take(&tenant).Error
	switch {
	case storage.IsNotFound(err):
		return tenant, apperr.MissingRow("tenant", name)
	case err != nil:
		return tenant, fmt.Errorf("read the tenant: %w", err)
	}
	return tenant, nil
}

func (s store) tenantName(ctx context.Context, id int64) (string, error) {
	var tenant Tenant
	if err := s.db.Read(ctx).Where("id = ?", id).Take(&tenant).Error; err != nil {
		return "", fmt.Errorf("read the caller's tenant: %w", err)
	}
	return tenant.Name, nil
}

// nextTenantID returns an id that no tenant has yet. Tenants are never deleted,
// so none is used again.
func (s store) nextTenantID(ctx context.Context) (int64, error) {
	var last int64
	err := s.db.Read(ctx).Model(&Tenant{}).Select("COALESCE(MAX(id), 0)").Scan(&last).Error
	if err != nil {
		return 0, fmt.Errorf("read the last tenant: %w", err)
	}
	return last + 1, nil
}

// account finds a user by the names that are typed at sign-in, in one statement
// whether the tenant exists or not. Errors: gorm.ErrRecordNotFound.
//
// MySQL takes "admin " for "admin", and attempts are counted by what is typed:
// only names that somebody can have are asked for, so one account is one name.
func (s store) account(ctx context.Context, tenant, username string) (userRow, error) {
	if !tenantNames.MatchString(tenant) || !usernames.MatchString(username) {
		return userRow{}, gorm.ErrRecordNotFound
	}
	var row userRow
	err := s.db.Read(storage.AcrossTenants(ctx)).
		Joins("JOIN tenants ON tenants.id = users.tenant_id").
		Where("tenants.name = ? AND users.username = ?", tenant, username).
		Take(&row).Error
	if err != nil {
		return userRow{}, fmt.Errorf("read the account: %w", err)
	}
	return row, nil
}

// token finds a token by its digest, whichever tenant it names. Errors:
// gorm.ErrRecordNotFound.
func (s store) token(ctx context.Context, token digest) (tokenRow, error) {
	var row tokenRow
	err := s.db.Read(storage.AcrossTenants(ctx)).Where("token_hash = ?", token.String()).Take(&row).Error
	if err != nil {
		return tokenRow{}, fmt.Errorf("read the token: %w", err)
	}
	return row, nil
}

// activeUser reads a user who may come in, with roles and permissions. Errors:
// gorm.ErrRecordNotFound.
func (s store) activeUser(ctx context.Context, tenantID, id int64) (User, error) {
	ctx = principal.With(ctx, principal.System(tenantID, "authentication"))
	var row userRow
	if err := s.db.Read(ctx).Where("id = ? AND disabled = ?", id, false).Take(&row).Error; err != nil {
		return User{}, fmt.Errorf("read the user: %w", err)
	}
	return s.view(ctx, row)
}

// view adds a user's roles and permissions, in the context's tenant:
//
//	SELECT r.name, p.permission FROM user_roles u JOIN roles r … LEFT JOIN role_permissions p …
func (s store) view(ctx context.Context, row userRow) (User, error) {
	const query = `SELECT r.name AS role, COALESCE(p.permission, '') AS permission
		FROM user_roles u
		JOIN roles r ON r.id = u.role_id AND r.tenant_id = u.tenant_id
		LEFT JOIN role_permissions p ON p.role_id = r.id AND p.tenant_id = r.tenant_id
		WHERE u.tenant_id = ? AND u.user_id = ?`
	var grants []struct{ Role, Permission string }
	if err := s.db.Read(ctx).Raw(query, row.TenantID, row.ID).Scan(&grants).Error; err != nil {
		return User{}, fmt.Errorf("read the user's roles: %w", err)
	}
	roles, permissions := []string{}, []string{}
	for _, g := range grants {
		roles = append(roles, g.Role)
		if g.Permission != "" {
			permissions = append(permissions, g.Permission)
		}
	}
	return User{
		ID: row.ID, Username: row.Username, DisplayName: row.DisplayName,
		Roles: distinct(roles), Permissions: distinct(permissions),
	}, nil
}

func userNamed(tx *gorm.DB, username string) (userRow, error) {
	var row userRow
	err := tx.Where("username = ?", username).Take(&row).Error
	switch {
	case storage.IsNotFound(err):
		return row, apperr.MissingRow("user", username)
	case err != nil:
		return row, fmt.Errorf("read the user: %w", err)
	}
	return row, nil
}

func rolesNamed(tx *gorm.DB, names []string) ([]roleRow, error) {
	var roles []roleRow
	if err := tx.Where("name IN ?", names).Find(&roles).Error; err != nil {
		return nil, fmt.Errorf("read the roles: %w", err)
	}
	return roles, nil
}

// stillTheSame locks a user's row and refuses when its password was changed or it
// was disabled since it was read:
//
//	SELECT … FROM users WHERE tenant_id = ? AND id = ? FOR UPDATE
func stillTheSame(tx *gorm.DB, seen userRow) error {
	var row userRow
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", seen.ID).Take(&row).Error
	switch {
	case storage.IsNotFound(err):
		return errWrongCredentials()
	case err != nil:
		return fmt.Errorf("lock the user: %w", err)
	case row.PasswordHash != seen.PasswordHash || row.Disabled:
		return errWrongCredentials()
	}
	return nil
}

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
func endSessions(tx *gorm.DB, user userRow) error {
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
