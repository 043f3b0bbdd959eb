package users

import (
	"context"
	"fmt"
	"net/http"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

func (h handler) roleRoutes(r *httpapi.Router) {
	r = r.About(httpapi.Resource{Tag: "Access", Noun: "role", Example: roleExample})
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("role", h.service.Role)
	httpapi.Get(r, "/roles", ReadPermission, h.roles).
		Doc("List roles", "").With(httpapi.Contract{Sorts: roleSorts})
	httpapi.Mutation(fresh, http.MethodPost, "/roles", writePermission, h.createRole).
		Doc("Create a role", "`permissions` contains names of `GET /permissions`, `<resource>:*` or `*`. 403 for a permission that you lack.").
		With(httpapi.Contract{Body: roleCreate{"support", []string{"orders:*", "coupons:read"}}, Rejections: []httpapi.Rejection{{Code: apperr.AlreadyExists}}})
	httpapi.GetOf(r, "/roles/:id", ReadPermission, byID, h.role).Doc("Get a role", "")
	httpapi.MutationOf(fresh, http.MethodPatch, "/roles/:id", writePermission, byID, h.editRole).
		Doc("Update a role", "`permissions` is a set: an array replaces it, and `{\"add\":[…],\"remove\":[…]}` adds and removes the names listed. "+
			"Edits of one set conflict only if they contain the same name; conflicts and `merged` report it as `/permissions/<name>`. "+
			"With `?merge=disjoint` two admins who add different permissions both succeed. The change applies to the users with the role within a second, "+
			"on every server. 403 if you lack an added or removed permission or, for another name, one of the role.").
		With(httpapi.Contract{
			Body:       map[string]any{"permissions": map[string]any{"add": []string{"configs:read"}, "remove": []string{}}},
			Rejections: []httpapi.Rejection{noManager, roleNameUsed},
		})
	httpapi.MutationOf(fresh, http.MethodDelete, "/roles/:id", writePermission, byID, h.deleteRole).
		Doc("Delete a role", "403 if you lack a permission of the role. 409 `in_use` while a user has it.").With(httpapi.Contract{Rejections: []httpapi.Rejection{{Code: apperr.InUse}}})
	httpapi.GetOf(r, "/roles/:id/history", ReadPermission, byID, h.roleHistory).
		Doc("List the versions of a role", "The newest first. Every version is retained.").With(httpapi.Contract{Sorts: change.HistorySorts})
}

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

type permissionView struct{ principal.Grant }

func (h handler) permissions(context.Context, httpapi.None) (httpapi.List[permissionView], error) {
	list := httpapi.List[permissionView]{TotalIsExact: true}
	for _, grant := range h.service.Catalogue() {
		list.Items = append(list.Items, permissionView{grant})
	}
	list.Total = int64(len(list.Items))
	return list, nil
}
