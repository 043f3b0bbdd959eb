package callers

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/alexedwards/scs/v2"
	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

// credentialRow is the row of a session or an API token, joined with its user.
type credentialRow struct {
	ID, TenantID int64
	Currency     string
	TokenHash    string
	LastUsedTime *time.Time
	// Data and CreatedTime are set for a session, Scopes for an API token.
	Data        []byte
	CreatedTime time.Time
	Scopes      []byte
	// CreatedBy and CreatedByName are the user who created an API token.
	CreatedBy     int64
	CreatedByName string
	// ExpiresTime is nil for a token that does not expire.
	ExpiresTime *time.Time

	UserID, UserVersion   int64
	Username, DisplayName string
	SecondFactor          bool
}

func (r credentialRow) owner() Owner { return Owner{r.TenantID, r.UserID} }

func (r credentialRow) identity(held map[Owner]rights) Identity {
	return Identity{
		ID: r.UserID, Version: r.UserVersion, Username: r.Username, DisplayName: r.DisplayName,
		Roles: input.Distinct(held[r.owner()].roles), Permissions: input.Distinct(held[r.owner()].Permissions), SecondFactor: r.SecondFactor,
	}
}

// acting returns the row's user as a principal.
func (r credentialRow) acting(kind principal.Kind, credential string, user Identity, permissions []string) principal.Principal {
	p := user.Acting(kind, r.TenantID, credential, permissions)
	p.Currency = r.Currency
	return p
}

// callersShowing reads the callers of any number of credentials, with one statement each for the
// sessions, the tokens, the tenants and the users' permissions. Expired credentials, and those
// of disabled users or tenants, are absent from the result.
func (s *Service) callersShowing(ctx context.Context, shown map[secrets.Digest]credential, now time.Time) (map[secrets.Digest]recognition, error) {
	ctx = storage.AcrossTenants(ctx)
	sessions, err := s.rowsOfSessions(ctx, shown)
	if err != nil {
		return nil, err
	}
	tokens, err := s.rowsOfTokens(ctx, shown)
	if err != nil {
		return nil, err
	}
	answers, err := s.openTenantsShown(ctx, shown)
	if err != nil {
		return nil, err
	}
	owners := make([]Owner, 0, len(sessions)+len(tokens))
	for _, rows := range [][]credentialRow{sessions, tokens} {
		for _, row := range rows {
			owners = append(owners, row.owner())
		}
	}
	held, err := s.RightsOf(ctx, owners)
	if err != nil {
		return nil, err
	}
	hashes := make(map[string]secrets.Digest, len(shown))
	for hash := range shown {
		hashes[hash.String()] = hash
	}
	for _, row := range sessions {
		c, err := s.callerOfSession(row, row.identity(held))
		answers[hashes[row.TokenHash]] = recognition{c, err}
	}
	for _, row := range tokens {
		if row.ExpiresTime == nil || now.Before(*row.ExpiresTime) {
			c, err := callerOfToken(row, row.identity(held))
			answers[hashes[row.TokenHash]] = recognition{c, err}
		}
	}
	return answers, nil
}

// hashesOf returns the digests of the credentials of one kind, as the tables store them.
func hashesOf(kind principal.Kind, shown map[secrets.Digest]credential) (hashes []string) {
	for hash, c := range shown {
		if c.kind == kind {
			hashes = append(hashes, hash.String())
		}
	}
	return hashes
}

// rowsOf joins the rows of credentials in a table with their users:
//
//	SELECT … FROM t JOIN users ON users.id = t.user_id AND users.tenant_id = t.tenant_id
//	JOIN tenants ON tenants.id = t.tenant_id
//	WHERE t.token_hash IN (…) AND users.disabled = 0 AND tenants.disabled_time IS NULL
func rowsOf(db *gorm.DB, table, columns string, hashes []string) (rows []credentialRow, err error) {
	err = db.Table(table).
		Select(table+".id, "+table+".tenant_id, "+table+".token_hash, "+table+".last_used_time, "+table+".expires_time, "+table+".user_id, "+columns+
			", users.version AS user_version, users.username, users.display_name, users.second_factor, tenants.currency").
		Joins("JOIN users ON users.id = "+table+".user_id AND users.tenant_id = "+table+".tenant_id").
		Joins("JOIN tenants ON tenants.id = "+table+".tenant_id").
		Where(table+".token_hash IN ? AND users.disabled = ? AND tenants.disabled_time IS NULL", hashes, false).
		Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the users of %s: %w", table, err)
	}
	return rows, nil
}

func (s *Service) rowsOfSessions(ctx context.Context, shown map[secrets.Digest]credential) ([]credentialRow, error) {
	hashes := hashesOf(principal.Admin, shown)
	if len(hashes) == 0 {
		return nil, nil
	}
	return rowsOf(s.sessions.Open(s.db.Read(ctx)), "sessions", "sessions.data, sessions.created_time", hashes)
}

func (s *Service) rowsOfTokens(ctx context.Context, shown map[secrets.Digest]credential) ([]credentialRow, error) {
	hashes := hashesOf(principal.Token, shown)
	if len(hashes) == 0 {
		return nil, nil
	}
	return rowsOf(s.db.Read(ctx), "api_tokens", "api_tokens.scopes, api_tokens.created_by, api_tokens.created_by_name", hashes)
}

// callerOfSession returns the caller of a session row.
func (s *Service) callerOfSession(row credentialRow, user Identity) (*Caller, error) {
	_, values, err := scs.GobCodec{}.Decode(row.Data)
	if err != nil {
		return nil, fmt.Errorf("decode session %d: %w", row.ID, err)
	}
	id, _ := values[sessions.KeyID].(string)
	csrf, _ := values[sessions.KeyCSRF].(string)
	factorTime, _ := values[sessions.KeyFactorTime].(int64)
	return &Caller{
		Principal: row.acting(principal.Admin, sessions.CredentialID(id), user, user.Permissions),
		User:      user,
		use:       use{"sessions", row.ID},
		lastUse:   row.LastUsedTime,
		CSRF:      csrf,
		ends:      s.sessions.Ends(sessions.Session{ExpiresTime: *row.ExpiresTime, LastUsedTime: row.LastUsedTime, CreatedTime: row.CreatedTime}),

		factorTime: time.UnixMicro(factorTime),
	}, nil
}

// callerOfToken returns the caller of an API token row.
func callerOfToken(row credentialRow, user Identity) (*Caller, error) {
	var scopes []string
	if err := json.Unmarshal(row.Scopes, &scopes); err != nil {
		return nil, fmt.Errorf("decode the scopes of token %d: %w", row.ID, err)
	}
	c := &Caller{
		Principal: row.acting(principal.Token, "token:"+strconv.FormatInt(row.ID, 10), user, Intersect(user.Permissions, scopes)),
		User:      user,
		use:       use{"api_tokens", row.ID},
		lastUse:   row.LastUsedTime,
	}
	c.Principal.Via = principal.Via{TokenID: row.ID, CreatorID: row.CreatedBy, CreatorName: row.CreatedByName}
	if row.ExpiresTime != nil {
		c.ends = *row.ExpiresTime
	}
	return c, nil
}

// credentialOfTenant returns the cache key of a tenant that admits customers. No client can present
// it: presented secrets are hashed too and have another form.
func credentialOfTenant(id int64) credential {
	return credential{kind: principal.Internal, hash: secrets.DigestOf("tenant " + strconv.FormatInt(id, 10)), tenantID: id}
}

// openTenantsShown returns the enabled tenants among the credentials.
func (s *Service) openTenantsShown(ctx context.Context, shown map[secrets.Digest]credential) (map[secrets.Digest]recognition, error) {
	answers := make(map[secrets.Digest]recognition, len(shown))
	var ids []int64
	for _, c := range shown {
		if c.kind == principal.Internal {
			ids = append(ids, c.tenantID)
		}
	}
	open, err := s.tenants.Enabled(ctx, ids)
	for _, id := range open {
		answers[credentialOfTenant(id).hash] = recognition{caller: &Caller{Principal: principal.Principal{Kind: principal.Internal, TenantID: id}}}
	}
	return answers, err
}

// Owner is a user of a tenant.
type Owner struct{ TenantID, UserID int64 }

// rights are the names of a user's roles and the permissions of those roles.
type rights struct{ roles, Permissions []string }

// WithRights returns a user with the names of its roles and their permissions.
func (s *Service) WithRights(ctx context.Context, tenantID int64, user Identity) (Identity, error) {
	by := Owner{tenantID, user.ID}
	held, err := s.RightsOf(ctx, []Owner{by})
	user.Roles, user.Permissions = input.Distinct(held[by].roles), input.Distinct(held[by].Permissions)
	return user, err
}

// RightsOf reads the users' roles and permissions; each role's permissions are read once:
//
//	SELECT … FROM user_roles u JOIN roles r … UNION ALL SELECT … FROM role_permissions p …
func (s *Service) RightsOf(ctx context.Context, owners []Owner) (map[Owner]rights, error) {
	if len(owners) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(owners))
	for i, o := range owners {
		ids[i] = o.UserID
	}
	const query = `SELECT u.tenant_id, u.user_id, u.role_id, r.name FROM user_roles u
		JOIN roles r ON r.id = u.role_id AND r.tenant_id = u.tenant_id
		WHERE u.user_id IN ?
		UNION ALL
		SELECT p.tenant_id, 0, p.role_id, p.permission FROM role_permissions p
		WHERE p.role_id IN (SELECT u.role_id FROM user_roles u WHERE u.user_id IN ?)`
	var rows []struct {
		TenantID, UserID, RoleID int64
		// Name is a role's name if UserID is set, and a permission otherwise.
		Name string
	}
	if err := s.db.Read(storage.AcrossTenants(ctx)).Raw(query, ids, ids).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the users' roles: %w", err)
	}
	type role struct{ tenantID, id int64 }
	permissions := make(map[role][]string)
	for _, row := range rows {
		if row.UserID == 0 {
			permissions[role{row.TenantID, row.RoleID}] = append(permissions[role{row.TenantID, row.RoleID}], row.Name)
		}
	}
	held := make(map[Owner]rights, len(owners))
	for _, row := range rows {
		if row.UserID != 0 {
			o := Owner{row.TenantID, row.UserID}
			h := held[o]
			held[o] = rights{append(h.roles, row.Name), append(h.Permissions, permissions[role{row.TenantID, row.RoleID}]...)}
		}
	}
	return held, nil
}
