package access

import (
	"context"
	"fmt"

	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

type listRolesRequest struct {
	// A part of the name, in either case.
	Search httpapi.Search `query:"q"`
	httpapi.Page
}

func (h handler) roles(ctx context.Context, in listRolesRequest) (httpapi.List[roleView], error) {
	listing, err := h.service.Roles(ctx, string(in.Search), in.Page.Page())
	return httpapi.ListOf(listing, roleViewOf), err
}

type createRoleRequest struct{ Body roleCreate }

type roleCreate struct {
	Name        string   `json:"name" validate:"required" schema:"RoleName"`
	Permissions []string `json:"permissions" validate:"max=500,dive,max=100"`
}

func (h handler) createRole(ctx context.Context, u *uow.Unit, in createRoleRequest) (httpapi.Created[roleView], error) {
	role, err := h.service.AddRole(ctx, u, in.Body.Name, in.Body.Permissions)
	if err != nil {
		return httpapi.Created[roleView]{}, err
	}
	return httpapi.Created[roleView]{Location: fmt.Sprintf("/roles/%d", role.ID), Body: roleViewOf(*role)}, nil
}

func (h handler) role(_ context.Context, role *Role, _ httpapi.None) (roleView, error) {
	return roleViewOf(*role), nil
}

type editRoleRequest struct{ httpapi.Edit[rolePatch] }

func (h handler) editRole(ctx context.Context, u *uow.Unit, role *Role, in editRoleRequest) (editedRoleView, error) {
	edited, err := h.service.EditRole(ctx, u, role, in.Change())
	if err != nil {
		return editedRoleView{}, err
	}
	return editedRoleView{roleView: roleViewOf(*edited.Row), Merged: edited.Merged}, nil
}

func (h handler) deleteRole(ctx context.Context, u *uow.Unit, role *Role, in httpapi.Guarded) (httpapi.None, error) {
	return httpapi.None{}, h.service.DeleteRole(ctx, u, role, in.IfMatch)
}

func (h handler) roleHistory(ctx context.Context, role *Role, in httpapi.Page) (httpapi.List[roleRevisionView], error) {
	listing, err := h.service.RoleHistory(ctx, role, in.Page())
	return httpapi.ListOf(listing, roleRevisionViewOf), err
}
