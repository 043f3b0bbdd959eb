package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"interlock/internal/access/users"
	"interlock/internal/app"
	"interlock/internal/base/storage"
)

type tokenCommand struct {
	List   tokenList   `cmd:"" help:"List the API tokens of a tenant, without their secrets."`
	Create tokenCreate `cmd:"" help:"Create an API token and print only its secret, which is shown only once."`
	Revoke tokenRevoke `cmd:"" help:"Revoke an API token: its requests are rejected, and its streams end, within a second."`
}

type tokenList struct {
	inTenant `embed:""`
	User     string `help:"Owner of the tokens. Default: all users." placeholder:"NAME"`
}

// Run lists the tokens.
func (c *tokenList) Run(ctx context.Context) error {
	return c.withTenant(ctx, func(ctx context.Context, sv *app.Services) error {
		var filter users.TokenFilter
		if c.User != "" {
			user, err := sv.Access.Users.UserNamed(ctx, c.User)
			if err != nil {
				return err
			}
			filter.UserID = user.ID
		}
		return printed([]string{"ID", "NAME", "USER", "SCOPES", "EXPIRES", "LAST USED"}, func(page storage.Page) (storage.Listing[users.Token], error) {
			return sv.Access.Users.Tokens(ctx, filter, page)
		}, func(token users.Token) []any {
			scopes := strings.Join(token.Scopes, " ")
			if scopes == "" {
				scopes = "all of the user's"
			}
			return []any{token.ID, token.Name, token.Username, scopes, day(token.ExpiresTime), day(token.LastUsedTime)}
		})
	})
}

// day formats a time for a table; "never" for nil.
func day(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

type tokenCreate struct {
	inTenant `embed:""`
	User     string        `help:"User that the token acts as." required:"" placeholder:"NAME"`
	Name     string        `help:"Purpose of the token." required:"" placeholder:"NAME"`
	Scope    []string      `help:"Permission that the token is limited to, such as configs:read; may be repeated. None: all of its user's." placeholder:"S"`
	Expires  time.Duration `help:"Lifetime of the token. 0: until it is revoked." default:"${tokenLifetime}" placeholder:"DURATION"`
}

// Run prints the token.
func (c *tokenCreate) Run(ctx context.Context) error {
	if c.Expires < 0 {
		return errors.New("--expires must not be negative")
	}
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		spec := users.TokenSpec{Tenant: c.Tenant, Username: c.User, Name: c.Name, Scopes: c.Scope, Endless: c.Expires == 0}
		if c.Expires > 0 {
			spec.Expires = sv.Clock.Now().Add(c.Expires)
		}
		secret, _, err := sv.Access.Users.CreateToken(ctx, spec)
		if err != nil {
			return err
		}
		fmt.Println(secret)
		return nil
	})
}

type tokenRevoke struct {
	inTenant `embed:""`
	ID       int64 `arg:"" help:"Id of the token, from token list."`
}

// Run revokes the token.
func (c *tokenRevoke) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.RevokeToken(ctx, c.Tenant, c.ID); err != nil {
			return err
		}
		fmt.Printf("Token %d is revoked; its requests are rejected, and its streams end within a second.\n", c.ID)
		return nil
	})
}
