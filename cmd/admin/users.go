package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"interlock/internal/access/users"
	"interlock/internal/app"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/settings"
)

type userCommand struct {
	List         userList         `cmd:"" help:"List the users of a tenant."`
	Create       userCreate       `cmd:"" help:"Create a user, with a password or with an invitation to choose one."`
	Invite       userInvite       `cmd:"" help:"Invalidate a user's password and print an invitation to choose another one."`
	Disable      userDisable      `cmd:"" help:"Disable a user: their sessions, tokens and streams end within a second."`
	Enable       userEnable       `cmd:"" help:"Enable a disabled user again."`
	Password     userPassword     `cmd:"" help:"Set a user's password and end the user's sessions."`
	ResetFactors userResetFactors `cmd:"" help:"Remove all second factors of a user, and end the user's sessions."`
	Roles        userRoles        `cmd:"" help:"Replace the roles of a user; without names, remove all."`
}

// inTenant contains the flags of commands about the records of a tenant.
type inTenant struct {
	settings.Data `embed:""`
	Tenant        string `help:"Name of the tenant." default:"default" placeholder:"NAME"`
}

// withTenant opens the engines for a command about one tenant.
func (c inTenant) withTenant(ctx context.Context, do func(ctx context.Context, sv *app.Services) error) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		ctx, err := sv.Access.Tenants.InTenant(ctx, c.Tenant)
		if err != nil {
			return err
		}
		return do(ctx, sv)
	})
}

type userList struct {
	inTenant `embed:""`
}

// Run lists the users.
func (c *userList) Run(ctx context.Context) error {
	return c.withTenant(ctx, func(ctx context.Context, sv *app.Services) error {
		return printed([]string{"ID", "USERNAME", "NAME", "ROLES", "STATUS"}, func(page storage.Page) (storage.Listing[users.User], error) {
			return sv.Access.Users.Users(ctx, users.UserFilter{}, page)
		}, func(user users.User) []any {
			status := "enabled"
			switch {
			case user.Disabled:
				status = "disabled"
			case user.InvitationHash != nil:
				status = "invited"
			}
			return []any{user.ID, user.Username, user.DisplayName, strings.Join(user.Roles, ", "), status}
		})
	})
}

// printed prints all pages of a list as a table.
func printed[T any](head []string, list func(storage.Page) (storage.Listing[T], error), row func(T) []any) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(head, "\t"))
	for page := (storage.Page{Limit: storage.MaxLimit}); ; {
		listing, err := list(page)
		if err != nil {
			return err
		}
		for _, item := range listing.Rows {
			cells := row(item)
			fmt.Fprintf(table, strings.TrimSuffix(strings.Repeat("%v\t", len(cells)), "\t")+"\n", cells...)
		}
		if listing.Next == nil {
			return table.Flush()
		}
		page.Cursor = *listing.Next
	}
}

type userCreate struct {
	inTenant    `embed:""`
	Username    string   `arg:"" help:"Name to sign in with."`
	DisplayName string   `help:"Name that others see. Default: the username." placeholder:"NAME"`
	Role        []string `help:"Role of the user; may be repeated." default:"admin" placeholder:"ROLE" sep:"none"`
	Password    string   `help:"Password. Default: the first line of standard input." placeholder:"PASSWORD" xor:"credential"`
	Invite      bool     `help:"Set no password; print an invitation with which the user chooses one." xor:"credential"`
}

// Run creates the user.
func (c *userCreate) Run(ctx context.Context) error {
	spec := users.UserSpec{Tenant: c.Tenant, Username: c.Username, DisplayName: c.DisplayName, Roles: c.Role}
	if c.Invite {
		return c.withTenant(ctx, func(ctx context.Context, sv *app.Services) error {
			var user *users.User
			var invitation users.Invitation
			err := sv.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
				user, invitation, err = sv.Access.Users.AddInvited(ctx, u, spec)
				return err
			})
			if err != nil {
				return err
			}
			fmt.Printf("User %s (%d) was created.\n", user.Username, user.ID)
			printInvitation(invitation)
			return nil
		})
	}
	password, err := passwordOrInput(c.Password)
	if err != nil {
		return err
	}
	spec.Password = password
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		user, err := sv.Access.Users.CreateUser(ctx, spec)
		if err != nil {
			return err
		}
		fmt.Printf("User %s (%d) was created.\n", user.Username, user.ID)
		return nil
	})
}

// printInvitation prints the address of an invitation.
func printInvitation(invitation users.Invitation) {
	fmt.Printf("The user can choose a password once, until %s, at this path of the web admin:\n%s\n",
		invitation.ExpiresTime.UTC().Format(time.RFC3339), invitation.Path())
}

type userInvite struct {
	inTenant `embed:""`
	Username string `arg:"" help:"Name of the user."`
}

// Run creates the invitation.
func (c *userInvite) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		invitation, err := sv.Access.Users.InviteUser(ctx, c.Tenant, c.Username)
		if err != nil {
			return err
		}
		fmt.Printf("User %s has no password any more. Ended: %d sessions, %d API tokens, %d second factors, and earlier invitations.\n",
			c.Username, invitation.Ended.Sessions, invitation.Ended.Tokens, invitation.Ended.Factors)
		printInvitation(invitation)
		return nil
	})
}

type userPassword struct {
	inTenant `embed:""`
	Username string `arg:"" help:"Name of the user."`
	Password string `help:"New password. Default: the first line of standard input." placeholder:"PASSWORD"`
}

// Run sets the password.
func (c *userPassword) Run(ctx context.Context) error {
	password, err := passwordOrInput(c.Password)
	if err != nil {
		return err
	}
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.SetPassword(ctx, c.Tenant, c.Username, password); err != nil {
			return err
		}
		fmt.Printf("The password of %s is set; the user's sessions have ended.\n", c.Username)
		return nil
	})
}

type userResetFactors struct {
	inTenant `embed:""`
	Username string `arg:"" help:"Name of the user."`
}

// Run removes the factors.
func (c *userResetFactors) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.ResetUserFactors(ctx, c.Tenant, c.Username); err != nil {
			return err
		}
		fmt.Printf("User %s has no second factor; the password suffices to sign in and to set up a new one.\n", c.Username)
		return nil
	})
}

type userDisable struct {
	inTenant `embed:""`
	Username string `arg:"" help:"Name of the user."`
}

// Run disables the user.
func (c *userDisable) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.SetUserDisabled(ctx, c.Tenant, c.Username, true); err != nil {
			return err
		}
		fmt.Printf("User %s is disabled; sessions, tokens and streams end within a second.\n", c.Username)
		return nil
	})
}

type userEnable struct {
	inTenant `embed:""`
	Username string `arg:"" help:"Name of the user."`
}

// Run enables the user.
func (c *userEnable) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.SetUserDisabled(ctx, c.Tenant, c.Username, false); err != nil {
			return err
		}
		fmt.Printf("User %s is enabled.\n", c.Username)
		return nil
	})
}

type userRoles struct {
	inTenant `embed:""`
	Username string   `arg:"" help:"Name of the user."`
	Role     []string `arg:"" optional:"" help:"Names of the roles."`
}

// Run replaces the roles.
func (c *userRoles) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.SetUserRoles(ctx, c.Tenant, c.Username, c.Role); err != nil {
			return err
		}
		if len(c.Role) == 0 {
			fmt.Printf("User %s has no roles now.\n", c.Username)
			return nil
		}
		fmt.Printf("User %s has the roles %s.\n", c.Username, strings.Join(c.Role, ", "))
		return nil
	})
}
