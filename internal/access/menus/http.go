package menus

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

type handler struct{ service *Service }

// Routes registers the routes of menus. The list needs no permission: every caller reads
// the menus of its navigation, and callers with menus:read read all menus.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	r = r.About(httpapi.Resource{Tag: "Access", Noun: "menu", Example: menuExample})
	byID := httpapi.Numbered("menu", h.service.Menu)
	httpapi.Get(r, "/menus", "", h.menus).
		Doc("List navigation menus", "All menus in one reply: each before its children, siblings in their order. A caller with `menus:read` receives all menus "+
			"of the tenant. Any other signed-in caller receives the menus of its navigation: those that are not hidden, if the caller has their permission, "+
			"and if the same is true of their ancestors. A new tenant has the pages of the admin in four groups. For a tenant without menus the list is empty, "+
			"and the admin shows its built-in pages.").
		With(httpapi.Contract{Success: "All menus on one page.", Responses: map[string]string{"403": "Forbidden"}})
	httpapi.Mutation(r, http.MethodPost, "/menus", writePermission, h.createMenu).
		Doc("Create a menu", "At the top level or below another menu, as the last sibling or at a position. A tenant has at most 200 menus, at most 4 levels deep.").
		With(httpapi.Contract{Body: map[string]any{"title": "Returns desk", "path": "/orders?status=shipped", "permission": "orders:read"}})
	httpapi.GetOf(r, "/menus/:id", ReadPermission, byID, h.menu).
		Doc("Get a menu", "`position` is not part of the version: moving a sibling does not change the `ETag` of this menu.")
	httpapi.MutationOf(r, http.MethodPatch, "/menus/:id", writePermission, byID, h.editMenu).
		Doc("Update a menu", "`POST /menus/{id}/move` changes the position of a menu; the two merge with `?merge=disjoint`.").
		With(httpapi.Contract{Body: map[string]any{"title": "Returned goods", "hidden": true}})
	httpapi.MutationOf(r, http.MethodDelete, "/menus/:id", writePermission, byID, h.deleteMenu).
		Doc("Delete a menu", "409 `in_use` while the menu has children. Its history is retained.").
		With(httpapi.Contract{Rejections: []httpapi.Rejection{{Code: apperr.InUse}}})
	httpapi.MutationOf(r, http.MethodPost, "/menus/:id/move", writePermission, byID, h.moveMenu).
		Doc("Move a menu", "Moves the menu with its descendants below another parent, or to another position among its siblings. `position` is its new index, "+
			"from 0; an index beyond the last means last. An absent member stays unchanged, but a new parent without a position means last. "+
			"Only the moved menu gets a new version. 422 at `/parentId` for the menu itself, its descendants, a menu that does not exist, and more than "+
			"4 levels. If two admins concurrently move two menus below each other, the second request returns 422.\n\n"+
			"Without `If-Match` the menu is moved from any position. If `If-Match` is stale, `?merge=disjoint` moves the menu unless another request moved it since.").
		With(httpapi.Contract{Body: map[string]any{"parentId": nil, "position": 0}})
	httpapi.GetOf(r, "/menus/:id/history", ReadPermission, byID, h.menuHistory).
		Doc("List the versions of a menu", "The newest first. Every version is retained.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
}

var menuExample = func() menuView {
	at := time.Date(2026, time.January, 31, 9, 30, 0, 0, time.UTC)
	row := guard.Row{ID: 23, Version: 1, CreatedTime: at, UpdatedTime: at, UpdatedBy: 1, UpdatedByName: "Admin"}
	return menuViewOf(Menu{Row: row, Position: 4, MenuTerms: MenuTerms{Title: "Returns desk", Path: "/orders?status=shipped", Permission: "orders:read"}})
}()

type menuView struct {
	ID int64 `json:"id"`
	// The parent menu, or null at the top level.
	ParentID *int64 `json:"parentId"`
	// The index among its siblings.
	Position int `json:"position" validate:"min=0"`
	MenuTerms
	guard.Stamp
}

func menuViewOf(m Menu) menuView {
	return menuView{ID: m.ID, ParentID: parentOf(m.ParentID), Position: m.Position, MenuTerms: m.MenuTerms, Stamp: m.Stamp()}
}

// parentOf returns nil for the top.
func parentOf(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// editedMenuView is a menu and the changes with which an edit or a move was merged.
type editedMenuView struct {
	menuView
	Merged *change.Merged `json:"merged,omitempty"`
}

func editedMenuViewOf(edited change.Edited[*Menu], err error) (editedMenuView, error) {
	if err != nil {
		return editedMenuView{}, err
	}
	return editedMenuView{menuView: menuViewOf(*edited.Row), Merged: edited.Merged}, nil
}

type menuRevisionView struct {
	Version int64  `json:"version"`
	Action  string `json:"action" validate:"oneof=create update move"`
	// The parent menu, or null at the top level.
	ParentID *int64 `json:"parentId"`
	// The index among its siblings when the version was created.
	Position int `json:"position" validate:"min=0"`
	MenuTerms
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func menuRevisionViewOf(v MenuVersion) menuRevisionView {
	return menuRevisionView{
		Version: v.Version, Action: v.Action, ParentID: parentOf(v.ParentID), Position: v.Position, MenuTerms: v.MenuTerms,
		ChangedBy: v.By(), ChangedTime: v.ChangedTime,
	}
}

// menus returns all menus in one page: every page of the admin displays them.
func (h handler) menus(ctx context.Context, _ httpapi.None) (httpapi.List[menuView], error) {
	menus, err := h.service.Menus(ctx)
	if err != nil {
		return httpapi.List[menuView]{}, err
	}
	list := httpapi.List[menuView]{Items: make([]menuView, len(menus)), Total: int64(len(menus))}
	for i, m := range menus {
		list.Items[i] = menuViewOf(*m)
	}
	return list, nil
}

// below is the requested parent of a menu: nil if the member is absent, and 0 for null, which
// means the top.
type below struct{ id *int64 }

// Content describes the member in the contract.
func (below) Content() any { return (*int64)(nil) }

// UnmarshalJSON accepts an id or null.
func (b *below) UnmarshalJSON(text []byte) error {
	var id int64
	if string(text) != "null" {
		if err := strictjson.Decode(text, &id); err != nil || id < 1 {
			return &strictjson.Error{Message: "must be the id of a menu, or null for the top"}
		}
	}
	b.id = &id
	return nil
}

// position is the requested position of a menu: nil if the member is absent.
type position struct{ at *int }

// Content describes the member in the contract.
func (position) Content() any { return 0 }

// UnmarshalJSON accepts an integer, but not null.
func (p *position) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return &strictjson.Error{Message: "must not be null"}
	}
	p.at = new(int)
	return strictjson.Decode(text, p.at)
}

type createMenuRequest struct{ Body menuCreate }

type menuCreate struct {
	// The parent menu; the top level if null or absent.
	ParentID below `json:"parentId"`
	// The index among its siblings; last if absent or beyond the last.
	Position position `json:"position" min:"0"`
	MenuTerms
}

func (h handler) createMenu(ctx context.Context, u *uow.Unit, in createMenuRequest) (httpapi.Created[menuView], error) {
	spec := NewMenu{MenuTerms: in.Body.MenuTerms, Position: in.Body.Position.at}
	if in.Body.ParentID.id != nil {
		spec.ParentID = *in.Body.ParentID.id
	}
	m, err := h.service.AddMenu(ctx, u, spec)
	if err != nil {
		return httpapi.Created[menuView]{}, err
	}
	return httpapi.Created[menuView]{Location: fmt.Sprintf("/menus/%d", m.ID), Body: menuViewOf(*m)}, nil
}

func (h handler) menu(_ context.Context, m *Menu, _ httpapi.None) (menuView, error) {
	return menuViewOf(*m), nil
}

type editMenuRequest struct{ httpapi.Edit[MenuTerms] }

func (h handler) editMenu(ctx context.Context, u *uow.Unit, m *Menu, in editMenuRequest) (editedMenuView, error) {
	return editedMenuViewOf(h.service.EditMenu(ctx, u, m, in.Change()))
}

type moveMenuRequest struct {
	Body    menuMove
	Merge   *httpapi.Disjoint `query:"merge"`
	IfMatch *guard.Precondition
}

type menuMove struct {
	// The new parent, or null for the top level.
	ParentID below `json:"parentId"`
	// The new index among its siblings.
	Position position `json:"position" min:"0"`
}

func (h handler) moveMenu(ctx context.Context, u *uow.Unit, m *Menu, in moveMenuRequest) (editedMenuView, error) {
	return editedMenuViewOf(h.service.MoveMenu(ctx, u, m, MenuMove{
		ParentID: in.Body.ParentID.id, Position: in.Body.Position.at, IfMatch: in.IfMatch, MergeDisjoint: in.Merge != nil,
	}))
}

func (h handler) deleteMenu(ctx context.Context, u *uow.Unit, m *Menu, in httpapi.Guarded) (httpapi.None, error) {
	return httpapi.None{}, h.service.DeleteMenu(ctx, u, m, in.IfMatch)
}

func (h handler) menuHistory(ctx context.Context, m *Menu, in httpapi.Page) (httpapi.List[menuRevisionView], error) {
	listing, err := h.service.MenuHistory(ctx, m, in.Page())
	return httpapi.ListOf(listing, menuRevisionViewOf), err
}
