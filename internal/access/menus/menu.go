package menus

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

const (
	// ReadPermission is required to read all menus, also on the dashboard and in the live
	// feed.
	ReadPermission  = "menus:read"
	writePermission = "menus:write"
)

const (
	// Topic announces changes of menus, keyed by id.
	Topic = "menus"
	// NavigationTopic announces that the response of GET /menus changed, without a key.
	NavigationTopic = "navigation"
)

// Menu is an entry of the admin's navigation: a page, or a group of the menus below it.
//
// Its row contains the parent and a sparse sort key. Its Position among its siblings is computed
// on read and is not part of its version: a move writes only the moved row, so that a concurrent
// edit of a sibling does not conflict.
type Menu struct {
	guard.Row
	// ParentID is 0 at the top.
	ParentID int64
	// SortKey orders siblings; for equal keys the older menu is first.
	SortKey int64
	MenuTerms
	// Position is the index of the menu among its siblings, from 0.
	Position int `gorm:"-"`
}

// TableName implements gorm's Tabler.
func (Menu) TableName() string { return "menus" }

func (m *Menu) label() string {
	if m.Title == "" {
		return fmt.Sprintf("menu %q", m.Path)
	}
	return fmt.Sprintf("menu %q", m.Title)
}

// MenuTerms are the members of a menu that an edit changes. A move changes the parent and the
// position instead.
type MenuTerms struct {
	// May be empty for a page of the admin, which then has its built-in title in the reader's
	// language.
	Title string `json:"title" max:"100"`
	// A path of this admin, such as `/orders`, without `//` and `\`; an address that starts with
	// `https://`; or empty for a group.
	Path string `json:"path" max:"500"`
	// The name of an icon; empty for the default icon of the page.
	Icon string `json:"icon" pattern:"^([a-zA-Z][a-zA-Z0-9-]{0,31})?$"`
	// The permission that shows the menu: a name of `GET /permissions`, or empty for none.
	Permission string `json:"permission"`
	// Hides the menu and its descendants from the navigation.
	Hidden bool `json:"hidden"`
}

// menuDocument is the document of a menu for comparing and merging.
type menuDocument struct {
	MenuTerms
	ParentID int64 `json:"parentId,omitempty"`
	Position int   `json:"position"`
}

func documentOf(m *Menu) menuDocument { return menuDocument{m.MenuTerms, m.ParentID, m.Position} }

// MenuVersion is one version of a menu.
type MenuVersion struct {
	ID       int64
	TenantID int64
	MenuID   int64
	// Its Action is create, update, move or delete.
	change.Revision
	ParentID int64
	SortKey  int64
	// Position is the menu's position at the time of the version.
	Position int
	MenuTerms
}

// TableName implements gorm's Tabler.
func (MenuVersion) TableName() string { return "menu_histories" }

func menuVersionOf(m *Menu, action string) *MenuVersion {
	return &MenuVersion{
		MenuID: m.ID, Revision: change.RevisionOf(m.Row, action),
		ParentID: m.ParentID, SortKey: m.SortKey, Position: m.Position, MenuTerms: m.MenuTerms,
	}
}

// restore returns the menu at this version, for comparing. If the menu was not moved since, the
// result has the current position, because moves of siblings do not change the menu.
func (v MenuVersion) restore(m *Menu) *Menu {
	then := *m
	then.MenuTerms = v.MenuTerms
	if v.ParentID != m.ParentID || v.SortKey != m.SortKey {
		then.ParentID, then.SortKey, then.Position = v.ParentID, v.SortKey, v.Position
	}
	v.Restore(&then.Row)
	return &then
}

// menus declares menus to package change. tree is the tree of a unit that has incremented the
// menus' revision and moves a menu; nil for an edit, which moves none.
func (s *Service) menus(action string, tree *menuTree) change.Editable[Menu, *Menu] {
	return change.Editable[Menu, *Menu]{
		Rows: change.Rows[Menu, *Menu]{
			DB: s.db, Label: (*Menu).label, View: func(_ context.Context, m *Menu) any { return menuViewOf(*m) }, Find: findMenu,
		},
		Document:  func(m *Menu) (any, error) { return merge.Tree(documentOf(m)) },
		Revise:    func(m *Menu, document any) (*Menu, guard.Set, error) { return s.reviseMenu(tree, m, document) },
		AtVersion: s.menuAt,
		Record: func(ctx context.Context, u *uow.Unit, before, after *Menu, _ *change.Overwrite) error {
			s.recordMenu(u, after, action, map[string]any{
				"fromVersion": before.Version, "version": after.Version, "before": documentOf(before), "after": documentOf(after),
			})
			return insertMenuVersion(ctx, u, after, action)
		},
	}
}

// reviseMenu returns the menu that an edited document describes. It does not check the permission
// that the menu already has: the catalogue may have changed since it was set.
func (s *Service) reviseMenu(tree *menuTree, m *Menu, document any) (*Menu, guard.Set, error) {
	var edited menuDocument
	if err := merge.Decode(document, &edited); err != nil {
		return nil, nil, fmt.Errorf("read an edited menu: %w", err)
	}
	after := *m
	after.MenuTerms = edited.MenuTerms
	set := guard.Set{
		"title": after.Title, "path": after.Path, "icon": after.Icon, "permission": after.Permission, "hidden": after.Hidden,
	}
	if broken := s.checkMenu(after.MenuTerms, m.Permission); len(broken) > 0 {
		return nil, nil, apperr.Invalid(broken...)
	}
	if edited.ParentID == m.ParentID && edited.Position == m.Position {
		return &after, set, nil
	}
	if tree == nil {
		return nil, nil, uow.Retry(errMovedThere)
	}
	if err := tree.allows(m, edited.ParentID); err != nil {
		return nil, nil, err
	}
	after.ParentID, after.Position = edited.ParentID, edited.Position
	after.SortKey, _ = tree.keyAt(m, edited.ParentID, edited.Position)
	set["parent_id"], set["sort_key"] = after.ParentID, after.SortKey
	return &after, set, nil
}

// menuAt reads a menu at an earlier version. Errors: gorm.ErrRecordNotFound.
func (s *Service) menuAt(ctx context.Context, m *Menu, version int64) (*Menu, error) {
	var then MenuVersion
	if err := s.db.Read(ctx).Where("menu_id = ? AND version = ?", m.ID, version).Take(&then).Error; err != nil {
		return nil, err
	}
	return then.restore(m), nil
}

// recordMenu writes the audit entry of a change and announces the change: the menu to users who may
// read menus, and to every other user only that the navigation changed.
func (s *Service) recordMenu(u *uow.Unit, m *Menu, action string, detail any) {
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "menu", Topic: Topic, Key: strconv.FormatInt(m.ID, 10), Detail: detail,
		Change: events.Change{Version: m.Version, ETag: m.Ref().ETag(), Action: action, Label: m.Title},
	})
	change.Announce(u, s.bus, NavigationTopic, "", events.Change{Action: "update"})
}

// Menu returns the menu with an id. Errors: NotFound.
func (s *Service) Menu(ctx context.Context, id int64) (*Menu, error) {
	m, err := findMenu(s.db.Read(ctx), id)
	return m, storage.Found(err, "menu", strconv.FormatInt(id, 10))
}

// Menus returns the tenant's menus in display order, each before those below it: all menus for
// callers with menus:read, and the visible ones for other callers. Errors: Forbidden for a
// customer, who has no navigation.
func (s *Service) Menus(ctx context.Context) ([]*Menu, error) {
	caller, _ := principal.From(ctx)
	if caller.Kind == principal.Customer {
		return nil, apperr.New(apperr.Forbidden, "A customer has no navigation here.")
	}
	tree, err := readMenus(s.db.Read(ctx))
	if err != nil {
		return nil, err
	}
	if caller.May(ReadPermission) {
		return tree.drawn, nil
	}
	return tree.shownTo(caller.May), nil
}

// MenuHistory returns one page of a menu's versions, newest first.
func (s *Service) MenuHistory(ctx context.Context, m *Menu, page storage.Page) (storage.Listing[MenuVersion], error) {
	return storage.List[MenuVersion](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("menu_id", m.ID))
}

// NewMenu is a menu to add.
type NewMenu struct {
	MenuTerms
	// ParentID is 0 for the top.
	ParentID int64
	// Position is nil for the last position.
	Position *int
}

// AddMenu adds a menu. Errors: ValidationFailed.
func (s *Service) AddMenu(ctx context.Context, u *uow.Unit, spec NewMenu) (*Menu, error) {
	m := &Menu{MenuTerms: spec.MenuTerms, ParentID: spec.ParentID}
	broken := s.checkMenu(m.MenuTerms, "")
	checkPosition(&broken, spec.Position)
	if len(broken) > 0 {
		return nil, apperr.Invalid(broken...)
	}
	tree, err := bumpMenus(ctx, u)
	if err != nil {
		return nil, err
	}
	if len(tree.drawn) >= maxMenus {
		return nil, input.Invalid("", "max", fmt.Sprintf("cannot be added: the tenant has %d menus, which is the maximum", maxMenus))
	}
	if err := tree.allows(m, m.ParentID); err != nil {
		return nil, err
	}
	m.Position = tree.clamp(m, m.ParentID, spec.Position)
	if err := tree.place(ctx, u, m); err != nil {
		return nil, err
	}
	if err := insertMenu(ctx, u, m); err != nil {
		return nil, err
	}
	s.recordMenu(u, m, "create", map[string]any{"content": documentOf(m)})
	return m, nil
}

// EditMenu changes a menu that was just read; see change.Editable.Apply for conflicts. Errors:
// ValidationFailed.
func (s *Service) EditMenu(ctx context.Context, u *uow.Unit, m *Menu, edit change.Edit) (change.Edited[*Menu], error) {
	return s.menus("update", nil).Apply(ctx, u, m, edit)
}

// MenuMove is the requested parent and position of a menu.
type MenuMove struct {
	// ParentID is nil for the present parent, and 0 for the top.
	ParentID *int64
	// Position is nil for the present position if the parent is unchanged, and for the last one
	// otherwise. Positions beyond the last mean the last.
	Position *int
	// IfMatch is the version that the caller read; nil moves any version.
	IfMatch *guard.Precondition
	// MergeDisjoint moves the menu even if other members were changed since.
	MergeDisjoint bool
}

// MoveMenu moves a menu that was just read, with all menus below it; see change.Editable.Apply for
// conflicts. The unit first increments the revision row that every change of the tree increments,
// and then reads the tree. Concurrent moves that together would form a cycle are thus serialized,
// and the second sees the first. Errors: ValidationFailed at /parentId for a menu that does not
// exist, for the menu itself and those below it, and for too many levels.
func (s *Service) MoveMenu(ctx context.Context, u *uow.Unit, m *Menu, move MenuMove) (change.Edited[*Menu], error) {
	var none change.Edited[*Menu]
	var broken apperr.Fields
	if checkPosition(&broken, move.Position); len(broken) > 0 {
		return none, apperr.Invalid(broken...)
	}
	tree, err := readMenus(s.db.Read(ctx))
	if err != nil {
		return none, err
	}
	current, wanted, err := move.in(tree, m)
	if err != nil {
		return none, err
	}
	if wanted.isAt(current) {
		// The menu does not move, so the revision is not incremented.
		return s.applyMove(ctx, u, nil, current, wanted, move)
	}
	if tree, err = bumpMenus(ctx, u); err != nil {
		return none, err
	}
	if current, wanted, err = move.in(tree, m); err != nil {
		return none, err
	}
	if wanted.isAt(current) {
		return none, uow.Retry(errMovedThere)
	}
	if err := tree.place(ctx, u, wanted); err != nil {
		return none, err
	}
	return s.applyMove(ctx, u, tree, current, wanted, move)
}

// errMovedThere retries a unit if a concurrent unit made or reverted the same move between the
// unlocked and the locked read of the tree.
var errMovedThere = errors.New("access: menu was moved concurrently")

// in returns the menu m as the tree contains it, and a menu with the requested parent and position.
// Errors: NotFound.
func (move MenuMove) in(tree *menuTree, m *Menu) (current, wanted *Menu, err error) {
	current, there := tree.byID[m.ID]
	if !there {
		return nil, nil, apperr.New(apperr.NotFound, "%s was deleted concurrently.", m.label())
	}
	wanted = &Menu{ParentID: current.ParentID, Position: current.Position}
	wanted.ID = current.ID
	if move.ParentID != nil {
		wanted.ParentID = *move.ParentID
	}
	if move.Position != nil || wanted.ParentID != current.ParentID {
		wanted.Position = tree.clamp(current, wanted.ParentID, move.Position)
	}
	return current, wanted, nil
}

func (m *Menu) isAt(other *Menu) bool {
	return m.ParentID == other.ParentID && m.Position == other.Position
}

// applyMove moves a menu to the requested parent and position, as an edit of these two members.
func (s *Service) applyMove(ctx context.Context, u *uow.Unit, tree *menuTree, current, wanted *Menu, move MenuMove) (change.Edited[*Menu], error) {
	edit := change.Edit{IfMatch: guard.Precondition{Ref: current.Ref()}, MergeDisjoint: move.MergeDisjoint}
	if move.IfMatch != nil {
		edit.IfMatch = *move.IfMatch
	}
	var err error
	if edit.Patch, err = placePatch(wanted); err != nil {
		return change.Edited[*Menu]{}, err
	}
	menus := s.menus("move", tree)
	edited, err := menus.Apply(ctx, u, current, edit)
	if err == nil && tree != nil && edited.Row.Ref() == current.Ref() {
		// The menu already has the requested parent and position, but another user moved it since
		// the caller read it. The caller receives that conflict.
		return change.Edited[*Menu]{}, uow.Explain(func(ctx context.Context) error { return movedByOthers(menus.Conflict(ctx, current.ID, edit)) })
	}
	if move.IfMatch == nil && errors.Is(err, guard.ErrStale) {
		// The menu may have been edited between the read of the tree and this write.
		err = uow.Retry(err)
	}
	return edited, err
}

// movedByOthers marks a conflict as not automatically mergeable.
func movedByOthers(err error) error {
	var refusal *apperr.Error
	if errors.As(err, &refusal) {
		refusal.With("autoMergeable", false)
	}
	return err
}

// placePatch returns a move as a merge patch of a menuDocument. A menu at the top has no parent
// member there.
func placePatch(wanted *Menu) (any, error) {
	patch := map[string]any{"position": wanted.Position, "parentId": nil}
	if wanted.ParentID != 0 {
		patch["parentId"] = wanted.ParentID
	}
	return merge.Tree(patch)
}

// DeleteMenu deletes a menu without menus below it. Its history remains. Errors: InUse,
// VersionConflict.
func (s *Service) DeleteMenu(ctx context.Context, u *uow.Unit, m *Menu, ifMatch guard.Precondition) error {
	return s.menus("delete", nil).Delete(ctx, u, m, ifMatch, func() error {
		tree, err := bumpMenus(ctx, u)
		if err != nil {
			return err
		}
		if below := len(tree.below[m.ID]); below > 0 {
			return apperr.New(apperr.InUse, "%s cannot be deleted while other menus are below it (%d). Move or delete those first.", m.label(), below)
		}
		if err := guard.Delete[Menu](ctx, u, m.Ref()); err != nil {
			return err
		}
		s.recordMenu(u, m, "delete", map[string]any{"content": documentOf(m)})
		gone := *m
		if err := guard.Advance(ctx, u, &gone); err != nil {
			return err
		}
		return insertMenuVersion(ctx, u, &gone, "delete")
	})
}
