package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

const (
	// tokenPrefix lets people and secret scanners recognise a token.
	tokenPrefix = "ilk_"
	// markEvery is how often a token's use is written down at most.
	markEvery = time.Minute
	// markTimeout bounds that statement, which must not hold a request up.
	markTimeout = 500 * time.Millisecond
)

// TokenSpec says which token to make.
type TokenSpec struct {
	Tenant   string
	Username string
	Name     string
	// Scopes are grants of the catalogue; none leave the token all that its user
	// may do.
	Scopes []string
	// Expires is when the token ends; the zero time means never.
	Expires time.Time
}

// Token is an API token without its secret.
type Token struct {
	ID      int64
	Name    string
	Scopes  []string
	Expires time.Time
}

// CreateToken makes an API token and returns its secret, which cannot be had
// again. Errors: ValidationFailed, NotFound.
func (s *Service) CreateToken(ctx context.Context, spec TokenSpec) (secret string, token Token, err error) {
	if err := cmp.Or(checkName("/name", spec.Name), s.checkGrants("/scopes", spec.Scopes)); err != nil {
		return "", Token{}, err
	}
	if !spec.Expires.IsZero() && !spec.Expires.After(s.clock.Now()) {
		return "", Token{}, invalid("/expiresTime", "future", "must be in the future")
	}
	ctx, err = s.InTenant(ctx, spec.Tenant)
	if err != nil {
		return "", Token{}, err
	}
	secret = tokenPrefix + newSecret()
	scopes := distinct(spec.Scopes)
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		owner, err := userNamed(tx, spec.Username)
		if err != nil {
			return err
		}
		row := tokenRow{UserID: owner.ID, Name: spec.Name, TokenHash: digestOf(secret).String(), Scopes: scopes, ExpiresTime: timeOrNil(spec.Expires)}
		if err := guard.Insert(ctx, u, &row); err != nil {
			return fmt.Errorf("insert the token: %w", err)
		}
		token = Token{ID: row.ID, Name: row.Name, Scopes: scopes, Expires: spec.Expires}
		u.Audit(uow.Entry{Action: "token.create", Resource: tokenPath(row.ID), Detail: map[string]any{
			"name": spec.Name, "username": spec.Username, "scopes": scopes, "expiresTime": row.ExpiresTime,
		}})
		return nil
	})
	if err != nil {
		return "", Token{}, err
	}
	return secret, token, nil
}

// RevokeToken deletes a token. Errors: NotFound.
func (s *Service) RevokeToken(ctx context.Context, tenant string, id int64) error {
	ctx, err := s.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		var row tokenRow
		err = tx.Where("id = ?", id).Take(&row).Error
		if err == nil {
			err = guard.Delete[tokenRow](ctx, u, row.Ref())
		}
		switch {
		case storage.IsNotFound(err), errors.Is(err, guard.ErrGone):
			return apperr.MissingRow("token", strconv.FormatInt(id, 10))
		case err != nil:
			return rerunIfStale(err)
		}
		u.Audit(uow.Entry{Action: "token.revoke", Resource: tokenPath(id), Detail: map[string]any{"name": row.Name, "userId": row.UserID}})
		_, err = s.raise(ctx, u)
		return err
	})
}

// callerByToken finds out whom a token stands for.
func (s *Service) callerByToken(ctx context.Context, token digest) (*caller, error) {
	row, err := s.store.token(ctx, token)
	switch {
	case storage.IsNotFound(err):
		return nil, errWrongCredentials()
	case err != nil:
		return nil, err
	case row.ExpiresTime != nil && !s.clock.Now().Before(*row.ExpiresTime):
		return nil, errWrongCredentials()
	}
	user, err := s.store.activeUser(ctx, row.TenantID, row.UserID)
	if storage.IsNotFound(err) {
		return nil, errWrongCredentials()
	}
	if err != nil {
		return nil, err
	}
	s.markUsed(ctx, row)
	c := &caller{
		principal: user.acting(principal.Token, row.TenantID, "token:"+strconv.FormatInt(row.ID, 10), intersect(user.Permissions, row.Scopes)),
		user:      user,
	}
	if row.ExpiresTime != nil {
		c.ends = *row.ExpiresTime
	}
	return c, nil
}

// isToken reports whether text has the form of a token's secret.
func isToken(text string) bool {
	return len(text) == len(tokenPrefix)+secretLength && strings.HasPrefix(text, tokenPrefix)
}

func tokenPath(id int64) string { return "tokens/" + strconv.FormatInt(id, 10) }

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = clock.Kept(t)
	return &t
}
