package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Menus are the entries of the admin's navigation, a tree.
type Menus struct{ client *Client }

// Menu is one menu. Read it, change Title, Path, Icon, Permission or Hidden, and save it;
// [Menus.Move] changes where it stands.
type Menu struct {
	Stamp
	originState
	ID int64 `json:"id"`
	// ParentID is nil at the top.
	ParentID *int64 `json:"parentId"`
	// Position is where the menu stands among its siblings, from 0. It is no part of the
	// version.
	Position int `json:"position"`
	// Title may be empty for a page of the admin, which then goes by its own name.
	Title string `json:"title"`
	// Path is a path of the admin, an address that begins with https://, or empty for a group.
	Path       string  `json:"path"`
	Icon       string  `json:"icon"`
	Permission string  `json:"permission"`
	Hidden     bool    `json:"hidden"`
	Merged     *Merged `json:"merged,omitempty"`
}

func (m *Menu) editable() []string { return []string{"title", "path", "icon", "permission", "hidden"} }

// UnmarshalJSON reads a menu and remembers how it was read.
func (m *Menu) UnmarshalJSON(text []byte) error {
	type members Menu
	var fresh members
	if err := json.Unmarshal(text, &fresh); err != nil {
		return err
	}
	*m = Menu(fresh)
	return setOrigin(m)
}

// NewMenu is a menu to create.
type NewMenu struct {
	// ParentID is nil for the top.
	ParentID *int64 `json:"parentId,omitempty"`
	// Position is nil for the last.
	Position   *int   `json:"position,omitempty"`
	Title      string `json:"title,omitempty"`
	Path       string `json:"path,omitempty"`
	Icon       string `json:"icon,omitempty"`
	Permission string `json:"permission,omitempty"`
	Hidden     bool   `json:"hidden,omitempty"`
}

// MenuPlace is where a menu is to stand.
type MenuPlace struct {
	// ParentID is nil for the top.
	ParentID *int64 `json:"parentId"`
	// Position is that among its siblings, from 0; one beyond the last is the last.
	Position int `json:"position"`
}

// MenuRevision is one version of a menu.
type MenuRevision struct {
	Version     int64     `json:"version"`
	Action      string    `json:"action"`
	ParentID    *int64    `json:"parentId"`
	Position    int       `json:"position"`
	Title       string    `json:"title"`
	Path        string    `json:"path"`
	Icon        string    `json:"icon"`
	Permission  string    `json:"permission"`
	Hidden      bool      `json:"hidden"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

func menuPath(id int64) string { return "/menus/" + strconv.FormatInt(id, 10) }

// List lists all menus, each before those below it; for a caller without menus:read those
// that its navigation shows.
func (s *Menus) List() List[Menu] { return List[Menu]{s.client, "/menus", nil} }

// Get reads a menu.
func (s *Menus) Get(ctx context.Context, id int64, options ...CallOption) (Menu, error) {
	return get[Menu](ctx, s.client, menuPath(id), options)
}

// Create creates a menu.
func (s *Menus) Create(ctx context.Context, m NewMenu, options ...CallOption) (Menu, error) {
	return call[Menu](ctx, s.client, request{method: http.MethodPost, path: "/menus", body: m}, options)
}

// Save sends what was changed in m since it was read and makes m the saved menu.
func (s *Menus) Save(ctx context.Context, m *Menu, options ...CallOption) error {
	return save(ctx, s.client, menuPath(m.ID), m, options)
}

// Move puts m, as it was read, elsewhere with all that is below it, and makes m the moved
// menu. With [MergeDisjoint] it is moved also when something else of it was changed since.
func (s *Menus) Move(ctx context.Context, m *Menu, to MenuPlace, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodPost, path: menuPath(m.ID) + "/move", body: to, ifMatch: m.ETag}, m, options)
}

// Delete deletes the menu as it was read, if none is below it.
func (s *Menus) Delete(ctx context.Context, m Menu, options ...CallOption) error {
	return remove(ctx, s.client, menuPath(m.ID), m.ETag, options)
}

// History lists a menu's versions, newest first.
func (s *Menus) History(id int64, p Paging) List[MenuRevision] {
	return List[MenuRevision]{s.client, menuPath(id) + "/history", p.parameters()}
}
