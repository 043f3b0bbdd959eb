package access

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// menuRoutes registers the routes of menus. The list needs no permission: every caller reads
// the menus of its navigation, and callers with menus:read read all menus.
func (h handler) menuRoutes(r *httpapi.Router) {
	byID := httpapi.Numbered("menu", h.service.Menu)
	httpapi.Get(r, "/menus", "", h.menus)
	httpapi.Mutation(r, http.MethodPost, "/menus", writeMenusPermission, h.createMenu)
	httpapi.GetOf(r, "/menus/:id", ReadMenusPermission, byID, h.menu)
	httpapi.MutationOf(r, http.MethodPatch, "/menus/:id", writeMenusPermission, byID, h.editMenu)
	httpapi.MutationOf(r, http.MethodDelete, "/menus/:id", writeMenusPermission, byID, h.deleteMenu)
	httpapi.MutationOf(r, http.MethodPost, "/menus/:id/move", writeMenusPermission, byID, h.moveMenu)
	httpapi.GetOf(r, "/menus/:id/history", ReadMenusPermission, byID, h.menuHistory)
}

type menuView struct {
	ID int64 `json:"id"`
	// ParentID is null at the top.
	ParentID *int64 `json:"parentId"`
	Position int    `json:"position"`
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

type menuVersionView struct {
	Version  int64  `json:"version"`
	Action   string `json:"action"`
	ParentID *int64 `json:"parentId"`
	Position int    `json:"position"`
	MenuTerms
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func menuVersionViewOf(v MenuVersion) menuVersionView {
	return menuVersionView{
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

// UnmarshalJSON accepts an integer, but not null.
func (p *position) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return &strictjson.Error{Message: "must not be null"}
	}
	p.at = new(int)
	return strictjson.Decode(text, p.at)
}

type createMenuRequest struct {
	Body struct {
		ParentID below    `json:"parentId"`
		Position position `json:"position"`
		MenuTerms
	}
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
	// Body is the new place: null is the top, and an absent member leaves the present value.
	Body struct {
		ParentID below    `json:"parentId"`
		Position position `json:"position"`
	}
	Merge   *httpapi.Disjoint `query:"merge"`
	IfMatch *guard.Precondition
}

func (h handler) moveMenu(ctx context.Context, u *uow.Unit, m *Menu, in moveMenuRequest) (editedMenuView, error) {
	return editedMenuViewOf(h.service.MoveMenu(ctx, u, m, MenuMove{
		ParentID: in.Body.ParentID.id, Position: in.Body.Position.at, IfMatch: in.IfMatch, MergeDisjoint: in.Merge != nil,
	}))
}

func (h handler) deleteMenu(ctx context.Context, u *uow.Unit, m *Menu, in httpapi.Guarded) (httpapi.None, error) {
	return httpapi.None{}, h.service.DeleteMenu(ctx, u, m, in.IfMatch)
}

func (h handler) menuHistory(ctx context.Context, m *Menu, in httpapi.Page) (httpapi.List[menuVersionView], error) {
	listing, err := h.service.MenuHistory(ctx, m, in.Page())
	return httpapi.ListOf(listing, menuVersionViewOf), err
}
