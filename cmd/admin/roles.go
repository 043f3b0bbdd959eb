package main

import (
	"context"
	"fmt"
	"strings"

	"interlock/internal/access/users"
	"interlock/internal/app"
	"interlock/internal/base/storage"
)

type roleCommand struct {
	List   roleList   `cmd:"" help:"List the roles of a tenant and their permissions."`
	Create roleCreate `cmd:"" help:"Create a role."`
	Set    roleSet    `cmd:"" help:"Replace the permissions of a role."`
	Delete roleDelete `cmd:"" help:"Delete a role that no user has."`
	Ready  roleReady  `cmd:"" help:"Create the ready-made roles that a tenant lacks."`
}

type roleList struct {
	inTenant `embed:""`
}

// Run lists the roles.
func (c *roleList) Run(ctx context.Context) error {
	return c.withTenant(ctx, func(ctx context.Context, sv *app.Services) error {
		return printed([]string{"ID", "ROLE", "PERMISSIONS"}, func(page storage.Page) (storage.Listing[users.Role], error) {
			return sv.Access.Users.Roles(ctx, "", page)
		}, func(role users.Role) []any { return []any{role.ID, role.Name, strings.Join(role.Permissions, " ")} })
	})
}

// roleSpec is a role with its permissions, on the command line.
type roleSpec struct {
	inTenant   `embed:""`
	Role       string   `arg:"" help:"Name of the role."`
	Permission []string `arg:"" optional:"" help:"Permissions, such as configs:read or orders:*."`
}

type roleCreate struct {
	roleSpec `embed:""`
}

// Run creates the role.
func (c *roleCreate) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.CreateRole(ctx, c.Tenant, c.Role, c.Permission); err != nil {
			return err
		}
		fmt.Printf("Role %s was created.\n", c.Role)
		return nil
	})
}

type roleSet struct {
	roleSpec `embed:""`
}

// Run replaces the permissions.
func (c *roleSet) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.SetRolePermissions(ctx, c.Tenant, c.Role, c.Permission); err != nil {
			return err
		}
		fmt.Printf("Role %s has the permissions %s.\n", c.Role, strings.Join(c.Permission, ", "))
		return nil
	})
}

type roleDelete struct {
	inTenant `embed:""`
	Role     string `arg:"" help:"Name of the role."`
}

// Run deletes the role.
func (c *roleDelete) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.RemoveRole(ctx, c.Tenant, c.Role); err != nil {
			return err
		}
		fmt.Printf("Role %s is deleted.\n", c.Role)
		return nil
	})
}

type roleReady struct {
	inTenant `embed:""`
}

// Run creates the roles.
func (c *roleReady) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		if err := sv.Access.Users.MakeReadyRoles(ctx, c.Tenant); err != nil {
			return err
		}
		fmt.Println("The ready-made roles exist now.")
		return nil
	})
}
