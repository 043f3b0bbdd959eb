package menus

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
)

// treeOfMenus has the menus 1 to n; parents are their parents, 0 for the top.
func treeOfMenus(parents ...int64) *menuTree {
	rows := make([]Menu, len(parents))
	for i, parent := range parents {
		rows[i].ID, rows[i].ParentID, rows[i].SortKey = int64(i+1), parent, int64(i+1)*sortGap
	}
	return newMenuTree(rows)
}

func idsOf(menus []*Menu) (ids []int64) {
	for _, m := range menus {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestMenusPrecedeTheirChildrenInOrder(t *testing.T) {
	tree := treeOfMenus(0, 0, 1, 2, 1, 3)
	require.Equal(t, []int64{1, 3, 6, 5, 2, 4}, idsOf(tree.drawn))
	require.Equal(t, []int{0, 1, 0, 0, 1, 0}, []int{
		tree.byID[1].Position, tree.byID[2].Position, tree.byID[3].Position, tree.byID[4].Position, tree.byID[5].Position, tree.byID[6].Position,
	})
}

// Proves G7.30.
func TestMenuParentCannotBeCyclicOrTooDeep(t *testing.T) {
	tree := treeOfMenus(0, 1, 2, 3, 0, 5)
	for _, c := range []struct {
		menu, parent int64
		code         string
	}{
		{1, 0, ""}, {4, 0, ""}, {3, 5, ""}, {6, 4, "max"}, {5, 3, "max"}, {5, 2, ""}, {1, 1, "cycle"}, {1, 3, "cycle"}, {2, 4, "cycle"}, {1, 99, "unknown"}, {5, 5, "cycle"},
	} {
		err := tree.allows(tree.byID[c.menu], c.parent)
		if c.code == "" {
			require.NoError(t, err, "%+v", c)
			continue
		}
		require.ErrorContains(t, err, "must", "%+v", c)
		require.Equal(t, c.code, fieldOf(t, err).Code, "%+v", c)
		require.Equal(t, "/parentId", fieldOf(t, err).Pointer)
	}
	require.NoError(t, tree.allows(&Menu{}, 3), "a new one")
	require.Error(t, tree.allows(&Menu{}, 4))
}

func TestNavigationShowsPermittedMenusBelowVisibleOnes(t *testing.T) {
	tree := treeOfMenus(0, 1, 1, 0, 4, 0, 6)
	tree.byID[2].Permission = "orders:read"
	tree.byID[3].Permission = "configs:read"
	tree.byID[4].Hidden = true
	tree.byID[6].Permission = "configs:read"
	caller := principal.Principal{Permissions: []string{"orders:*"}}
	require.Equal(t, []int64{1, 2}, idsOf(tree.shownTo(caller.May)), "5 is below a hidden menu, 7 below one that needs another permission")
}

// Every returned key moves the menu to the requested position and preserves the order of the
// others.
func TestSortKeyGivesRequestedPositionUntilGapIsFull(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test's choice
	tree := treeOfMenus(0, 0, 0, 0, 0)
	rows := func() []Menu {
		list := make([]Menu, 0, len(tree.drawn))
		for _, m := range tree.drawn {
			list = append(list, *m)
		}
		return list
	}
	full := 0
	for range 2000 {
		// Two positions are chosen far more often than the others, so that a gap fills up.
		m, position := tree.drawn[random.IntN(5)], 1+random.IntN(2)
		if random.IntN(20) == 0 {
			position = random.IntN(5)
		}
		others := idsOf(tree.others(m, 0))
		key, room := tree.keyAt(m, 0, position)
		if !room {
			full++
			for i, sibling := range tree.below[0] {
				sibling.SortKey = int64(i+1) * sortGap
			}
			key, room = tree.keyAt(m, 0, position)
			require.True(t, room)
		}
		id := m.ID
		m.SortKey = key
		tree = newMenuTree(rows())
		require.Equal(t, position, tree.byID[id].Position, "seed %d", seed)
		require.Equal(t, others, idsOf(tree.others(tree.byID[id], 0)), "seed %d", seed)
	}
	require.NotZero(t, full, "the test is to fill a gap, seed %d", seed)
}
