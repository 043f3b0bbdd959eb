package users

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// TokenLifetime is the default lifetime of a token.
const TokenLifetime = 90 * 24 * time.Hour

// TokenSpec is the request for a token.
type TokenSpec struct {
	// Tenant and Username are the user that the token acts as, for CreateToken.
	Tenant   string
	Username string
	Name     string
	// Scopes are grants of the catalogue; nil gives the token all permissions of its user, which
	// is rejected for a token of another user.
	Scopes []string
	// Expires is the end of the token; the zero time means TokenLifetime from now.
	Expires time.Time
	// Endless is set for a token that does not expire.
	Endless bool
}

// TokenFilter narrows a list of tokens; zero members do not filter.
type TokenFilter struct {
	// Text must occur in the name, ignoring case.
	Text string
	// UserID is the user that the tokens act as.
	UserID int64
}

// CreateToken is AddToken for the command line.
func (s *Service) CreateToken(ctx context.Context, spec TokenSpec) (secret string, token *Token, err error) {
	ctx, user, err := s.userOf(ctx, spec.Tenant, spec.Username)
	if err != nil {
		return "", nil, err
	}
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		secret, token, err = s.AddToken(ctx, u, user.ID, spec)
		return err
	})
	return secret, token, err
}

// AddToken creates an API token that acts as a user, and returns its secret, which cannot be read
// again. A token of another user needs explicit scopes that both the caller and the user have, so
// that it does not gain later permissions of either; it cannot vote on approvals. Errors:
// ValidationFailed, NotFound (user); Forbidden for another user's token without users:write, for
// a token with permissions that the caller lacks, and for a caller with a token that another user
// created.
func (s *Service) AddToken(ctx context.Context, u *uow.Unit, userID int64, spec TokenSpec) (secret string, token *Token, err error) {
	if err := requireOwn(ctx, userID); err != nil {
		return "", nil, err
	}
	if err := cmp.Or(input.CheckName("/name", spec.Name), s.checkScopes(ctx, userID, spec.Scopes)); err != nil {
		return "", nil, err
	}
	now := s.clock.Now()
	switch {
	case !spec.Expires.IsZero() && !spec.Expires.After(now):
		return "", nil, input.Invalid("/expiresTime", "future", "must be in the future")
	case spec.Expires.IsZero() && !spec.Endless:
		spec.Expires = now.Add(TokenLifetime)
	}
	tx, err := s.tenants.BumpRevision(ctx, u)
	if err != nil {
		return "", nil, err
	}
	if err := requireUnchangedCaller(ctx, tx); err != nil {
		return "", nil, err
	}
	owner, err := FindUser(tx, userID)
	if err != nil {
		return "", nil, storage.Found(err, "user", strconv.FormatInt(userID, 10))
	}
	caller, _ := principal.From(ctx)
	secret = secrets.NewToken()
	token = &Token{
		CreatedBy: caller.UserID, CreatedByName: caller.Name, UserID: owner.ID, Username: owner.Username, Name: spec.Name, TokenHash: secrets.DigestOf(secret).String(),
		Scopes: input.Distinct(spec.Scopes), ExpiresTime: timeOrNil(spec.Expires),
	}
	if err := requireTokensRights(ctx, tx, token, owner); err != nil {
		return "", nil, err
	}
	if err := guard.Insert(ctx, u, token); err != nil {
		return "", nil, fmt.Errorf("insert the token: %w", err)
	}
	u.Audit(uow.Entry{Action: "token.create", Resource: token.path(), Detail: map[string]any{
		"name": token.Name, "username": owner.Username, "scopes": token.Scopes, "expiresTime": token.ExpiresTime,
	}})
	return secret, token, nil
}

// requireUnchangedCaller rejects a caller whose user was changed since its authentication, in a
// unit that has incremented the tenant's revision. Otherwise a new token could survive the
// password change that should have ended it.
func requireUnchangedCaller(ctx context.Context, tx *gorm.DB) error {
	caller, _ := principal.From(ctx)
	if caller.UserVersion == 0 {
		return nil
	}
	user, err := FindUser(tx, caller.UserID)
	if err != nil {
		return storage.Found(err, "user", strconv.FormatInt(caller.UserID, 10))
	}
	if user.Version != caller.UserVersion {
		return apperr.New(apperr.ResourceLocked, "Your account was changed at the same time. No token was created; try again.").After(time.Second)
	}
	return nil
}

// checkScopes checks the scopes of a user's token. An empty list is rejected, because it would
// grant all permissions. Errors: ValidationFailed; Forbidden for a caller whose token another user
// created, because that creator is not recorded in the tokens that it creates.
func (s *Service) checkScopes(ctx context.Context, userID int64, scopes []string) error {
	caller, _ := principal.From(ctx)
	if caller.ByTokenOfAnother() {
		return apperr.New(apperr.Forbidden, "%s created the API token that you use for another user; such a token cannot create tokens. Sign in, or use a token that its user created.", caller.Via.CreatorName)
	}
	switch isOfAnother := isOfAnother(caller, userID); {
	case scopes != nil && len(scopes) == 0:
		return input.Invalid("/scopes", "min", "must name a permission; omit scopes for all permissions of the user")
	case isOfAnother && len(scopes) == 0:
		return input.Invalid("/scopes", "required", "are required for a token of another user: name the permissions that it needs")
	case isOfAnother:
		for _, grant := range s.catalogue {
			if grant.Decides && principal.Covers(scopes, grant.Name) {
				return input.Invalid("/scopes", "decides", fmt.Sprintf("must not include %s: a token of another user cannot decide on requests of others", grant.Name))
			}
		}
	}
	return s.checkGrants("/scopes", scopes)
}

// isOfAnother reports whether a token is for a user other than the caller. Commands act for the
// user that they name.
func isOfAnother(caller principal.Principal, userID int64) bool {
	return caller.Kind != principal.Internal && caller.UserID != userID
}

// requireOwn returns Forbidden for another user's token, unless the caller has users:write.
func requireOwn(ctx context.Context, userID int64) error {
	caller, _ := principal.From(ctx)
	if caller.UserID == userID || caller.May(WriteUsersPermission) {
		return nil
	}
	return apperr.New(apperr.Forbidden, "A token of another user needs the permission %s, which you do not have.", WriteUsersPermission)
}

// requireTokensRights returns Forbidden unless the caller has all permissions of a token, and
// ValidationFailed for a scope that another user lacks.
func requireTokensRights(ctx context.Context, tx *gorm.DB, token *Token, owner *User) error {
	rights := token.Scopes
	if len(rights) == 0 {
		var err error
		if rights, err = grantsOf(tx, owner.held()); err != nil {
			return err
		}
	}
	if caller, _ := principal.From(ctx); isOfAnother(caller, owner.ID) {
		held, err := grantsOf(tx, owner.held())
		if err != nil {
			return err
		}
		for _, scope := range token.Scopes {
			if !principal.Covers(held, scope) {
				return input.Invalid("/scopes", "not_held", fmt.Sprintf("must be permissions that %s has; it does not have %s", owner.Username, scope))
			}
		}
	}
	return requireHeld(ctx, rights, "The token would have")
}

// Token returns a token: one of the caller's or, with users:write, any. Errors: NotFound.
func (s *Service) Token(ctx context.Context, id int64) (*Token, error) {
	token, err := findToken(s.db.Read(ctx), id)
	if err == nil && requireOwn(ctx, token.UserID) != nil {
		err = gorm.ErrRecordNotFound
	}
	return token, storage.Found(err, "token", strconv.FormatInt(id, 10))
}

// Tokens returns one page of tokens: the caller's or, with users:write, all of the tenant.
func (s *Service) Tokens(ctx context.Context, f TokenFilter, page storage.Page) (storage.Listing[Token], error) {
	caller, _ := principal.From(ctx)
	var filters []storage.Filter
	if f.UserID != 0 {
		filters = append(filters, storage.Equal("user_id", f.UserID))
	}
	if !caller.May(WriteUsersPermission) {
		filters = append(filters, storage.Equal("user_id", caller.UserID))
	}
	filters = append(filters, storage.Containing(f.Text, "name"))
	listing, err := storage.List[Token](s.db.Read(ctx), page, tokenSorts, filters...)
	if err != nil {
		return listing, fmt.Errorf("list tokens: %w", err)
	}
	return listing, withUsernames(s.db.Read(ctx), listing.Pointers())
}

// tokens declares tokens to package change. Tokens are created and revoked, never edited.
func (s *Service) tokens() change.Editable[Token, *Token] {
	return change.Editable[Token, *Token]{
		Rows: change.Rows[Token, *Token]{
			DB: s.db, Label: (*Token).label, View: func(_ context.Context, token *Token) any { return tokenViewOf(*token) }, Find: findToken,
		},
	}
}

// DeleteToken revokes a token that was just read, and ends its streams: immediately in this process
// and within one second in others. Errors: VersionConflict, NotFound.
func (s *Service) DeleteToken(ctx context.Context, u *uow.Unit, token *Token, ifMatch guard.Precondition) error {
	return s.tokens().Delete(ctx, u, token, ifMatch, func() error {
		if err := guard.Delete[Token](ctx, u, token.Ref()); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "token.revoke", Resource: token.path(), Detail: map[string]any{"name": token.Name, "userId": token.UserID}})
		_, err := s.tenants.BumpRevision(ctx, u)
		return err
	})
}

// revokeAll revokes all tokens of a user and returns their names, in a unit that has incremented
// the tenant's revision and audits them.
func revokeAll(ctx context.Context, u *uow.Unit, tx *gorm.DB, userID int64) ([]string, error) {
	var tokens []Token
	if err := tx.Where("user_id = ?", userID).Order("id").Find(&tokens).Error; err != nil {
		return nil, fmt.Errorf("read the user's tokens: %w", err)
	}
	names := make([]string, len(tokens))
	for i, token := range tokens {
		names[i] = token.Name
	}
	return names, revokeTokens(ctx, u, tokens)
}

// revokeTokens revokes tokens in a unit that has incremented the tenant's revision and audits them.
func revokeTokens(ctx context.Context, u *uow.Unit, tokens []Token) error {
	for _, token := range tokens {
		if err := guard.Delete[Token](ctx, u, token.Ref()); err != nil {
			return RetryIfStale(err)
		}
		u.AuditUnder(token.path())
	}
	return nil
}

// RevokeToken is DeleteToken for the command line. Errors: NotFound.
func (s *Service) RevokeToken(ctx context.Context, tenant string, id int64) error {
	return s.tenants.Command(ctx, tenant, func(ctx context.Context, u *uow.Unit, tx *gorm.DB) error {
		token, err := findToken(tx, id)
		if err != nil {
			return storage.Found(err, "token", strconv.FormatInt(id, 10))
		}
		return s.DeleteToken(ctx, u, token, guard.Precondition{Ref: token.Ref()})
	})
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = clock.Stored(t)
	return &t
}
