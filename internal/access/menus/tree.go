package menus

import (
	"cmp"
	"fmt"
	"slices"

	"interlock/internal/access/input"
)

const (
	// maxMenus bounds the menus of a tenant, which every page of the admin reads as a whole.
	maxMenus = 200
	// maxLevels bounds the depth of the tree: users do not find deeper menus.
	maxLevels = 4
	// sortGap is the initial distance between the keys of siblings. Each move into a gap halves it,
	// so about 32 moves into the same gap fit before the siblings are renumbered.
	sortGap = 1 << 32
)

// menuTree is all menus of a tenant.
type menuTree struct {
	byID map[int64]*Menu
	// below are the children of each menu, in order; key 0 has the menus at the top.
	below map[int64][]*Menu
	// drawn are the menus in display order, each menu before the menus below it.
	drawn []*Menu
}

func newMenuTree(rows []Menu) *menuTree {
	t := &menuTree{byID: make(map[int64]*Menu, len(rows)), below: map[int64][]*Menu{}}
	slices.SortFunc(rows, func(a, b Menu) int { return cmp.Or(cmp.Compare(a.SortKey, b.SortKey), cmp.Compare(a.ID, b.ID)) })
	for i := range rows {
		m := &rows[i]
		m.Position = len(t.below[m.ParentID])
		t.byID[m.ID] = m
		t.below[m.ParentID] = append(t.below[m.ParentID], m)
	}
	t.draw(0)
	return t
}

func (t *menuTree) draw(parent int64) {
	for _, m := range t.below[parent] {
		t.drawn = append(t.drawn, m)
		t.draw(m.ID)
	}
}

// shownTo returns the visible menus of a user: not hidden, with a permission that the user has,
// and only below visible menus.
func (t *menuTree) shownTo(may func(permission string) bool) []*Menu {
	shown := map[int64]bool{0: true}
	var list []*Menu
	for _, m := range t.drawn {
		if shown[m.ParentID] && !m.Hidden && (m.Permission == "" || may(m.Permission)) {
			shown[m.ID] = true
			list = append(list, m)
		}
	}
	return list
}

// allows returns ValidationFailed if a menu, which may be new, cannot have a parent.
func (t *menuTree) allows(m *Menu, parent int64) error {
	const pointer = "/parentId"
	levels := 1
	for at := parent; at != 0; levels++ {
		above, there := t.byID[at]
		switch {
		case !there:
			return input.Invalid(pointer, "unknown", fmt.Sprintf("must name an existing menu, or be null for the top; menu %d does not exist", at))
		case m.ID != 0 && above.ID == m.ID:
			return input.Invalid(pointer, "cycle", "must name neither the menu itself nor one below it")
		}
		at = above.ParentID
	}
	if deepest := levels + t.levelsBelow(m.ID); deepest > maxLevels {
		return input.Invalid(pointer, "max", fmt.Sprintf("must leave the menus at most %d levels deep; they would be %d", maxLevels, deepest))
	}
	return nil
}

// levelsBelow returns the number of levels below a menu; 0 for a new menu.
func (t *menuTree) levelsBelow(id int64) int {
	if id == 0 {
		return 0
	}
	levels := 0
	for _, m := range t.below[id] {
		levels = max(levels, 1+t.levelsBelow(m.ID))
	}
	return levels
}

// others returns the children of a parent, except the menu itself.
func (t *menuTree) others(m *Menu, parent int64) []*Menu {
	return slices.DeleteFunc(slices.Clone(t.below[parent]), func(other *Menu) bool { return other.ID == m.ID })
}

// clamp returns the effective position of a menu: the last one for nil and for positions beyond
// the last.
func (t *menuTree) clamp(m *Menu, parent int64, position *int) int {
	last := len(t.others(m, parent))
	if position == nil {
		return last
	}
	return min(*position, last)
}

// keyAt returns a sort key for a position below a parent, and false if no key is free between its
// siblings.
func (t *menuTree) keyAt(m *Menu, parent int64, position int) (key int64, room bool) {
	others := t.others(m, parent)
	position = min(position, len(others))
	switch {
	case len(others) == 0:
		return sortGap, true
	case position == 0:
		return others[0].SortKey - sortGap, true
	case position == len(others):
		return others[position-1].SortKey + sortGap, true
	}
	before, after := others[position-1].SortKey, others[position].SortKey
	return before + (after-before)/2, after-before > 1
}
