package client_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/client"
	"interlock/test/apptest"
)

func object(t *testing.T, c *client.Client, value string) client.Config {
	t.Helper()
	return ok[client.Config](t)(c.Configs.Create(t.Context(), client.ConfigCreate{Key: "shared",
		Value: json.RawMessage(value), ValueType: client.ValueTypeJSON, Remark: "first",
	}))
}

func TestStaleSaveReturnsConflictWithBothSides(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := newClient(t, p)
		mine := object(t, c, `{"a":1,"b":1}`)
		theirs := mine
		theirs.Value = json.RawMessage(`{"a":2,"b":1}`)
		require.NoError(t, c.Configs.Save(t.Context(), &theirs))
		mine.Value = json.RawMessage(`{"a":3,"b":3}`)
		wanted := mine

		err := c.Configs.Save(t.Context(), &mine)

		var conflict *client.Conflict
		require.ErrorAs(t, err, &conflict)
		require.True(t, client.HasCode(err, client.CodeVersionConflict))
		require.EqualValues(t, 1, *conflict.ExpectedVersion)
		require.EqualValues(t, 2, conflict.CurrentVersion)
		require.Equal(t, theirs.UpdatedBy, conflict.UpdatedBy)
		require.Equal(t, []client.Difference{{Pointer: "/value/a", Base: json.RawMessage("1"), Yours: json.RawMessage("3"), Theirs: json.RawMessage("2")}}, conflict.Conflicts)
		require.Equal(t, []string{"/value/b"}, conflict.YoursOnly)
		require.ErrorIs(t, conflict.Merge(&mine), client.ErrContested)
		require.Equal(t, wanted, mine, "what was typed is kept")

		require.NoError(t, conflict.Take(&mine))
		require.Equal(t, theirs, mine)
		require.NoError(t, mine.SetValue(map[string]int{"a": 2, "b": 3}))
		require.NoError(t, c.Configs.Save(t.Context(), &mine))
		require.JSONEq(t, `{"a":2,"b":3}`, string(ok[client.Config](t)(c.Configs.Get(t.Context(), "shared")).Value))
	})
}

func TestDisjointChangesAreMergedAndSaved(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := newClient(t, p)
		mine := object(t, c, `{"a":1,"b":1}`)
		theirs := mine
		theirs.Value, theirs.Remark = json.RawMessage(`{"a":2,"b":1}`), "theirs"
		require.NoError(t, c.Configs.Save(t.Context(), &theirs))
		mine.Value = json.RawMessage(`{"a":1,"b":3}`)

		var conflict *client.Conflict
		require.ErrorAs(t, c.Configs.Save(t.Context(), &mine), &conflict)
		require.True(t, conflict.AutoMergeable)
		require.NoError(t, conflict.Merge(&mine))
		require.NoError(t, c.Configs.Save(t.Context(), &mine))

		require.EqualValues(t, 3, mine.Version)
		require.Equal(t, "theirs", mine.Remark)
		require.JSONEq(t, `{"a":2,"b":3}`, string(mine.Value))

		theirs.Remark = "stale, and of another place"
		require.NoError(t, c.Configs.Save(t.Context(), &theirs, client.MergeDisjoint()))
		require.Equal(t, &client.Merged{FromVersion: 2, KeptTheirs: []string{"/value/b"}}, theirs.Merged)
	})
}

func TestManyMergingWritersLoseNoChange(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const writers = 12
		c := newClient(t, p)
		first := object(t, c, `{}`)
		var running sync.WaitGroup
		failures := make(chan error, writers)
		for i := range writers {
			running.Go(func() { failures <- addMember(t, c, first, fmt.Sprintf("w%d", i)) })
		}
		running.Wait()
		close(failures)
		for err := range failures {
			require.NoError(t, err)
		}
		got := ok[client.Config](t)(c.Configs.Get(t.Context(), "shared"))
		var members map[string]bool
		require.NoError(t, got.Decode(&members))
		require.Len(t, members, writers)
		require.EqualValues(t, 1+writers, got.Version, "each saved once")
	})
}

// addMember adds the member name to the config and saves it. If another save came first, it merges
// that save and tries again.
func addMember(t *testing.T, c *client.Client, config client.Config, name string) error {
	if err := config.SetValue(map[string]bool{name: true}); err != nil {
		return err
	}
	for {
		err := c.Configs.Save(t.Context(), &config)
		conflict, stale := err.(*client.Conflict) //nolint:errorlint // what Save itself returns
		if !stale {
			return err
		}
		if err := conflict.Merge(&config); err != nil {
			return err
		}
	}
}

func TestEditOfRecreatedRecordIsNotMerged(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := newClient(t, p)
		mine := object(t, c, `1`)
		require.NoError(t, c.Configs.Delete(t.Context(), mine))
		object(t, c, `5`)
		mine.Remark = "of the one before"

		var conflict *client.Conflict
		require.ErrorAs(t, c.Configs.Save(t.Context(), &mine), &conflict)
		require.ErrorIs(t, conflict.Merge(&mine), client.ErrContested)
		require.Equal(t, "first", ok[client.Config](t)(c.Configs.Get(t.Context(), "shared")).Remark)
	})
}

func TestUnreadValueIsNotSaved(t *testing.T) {
	c := newClient(t, apptest.Shared(t, "sqlite"))
	require.ErrorContains(t, c.Configs.Save(t.Context(), &client.Config{Key: "new"}), "never read")
}

func TestNullInsideObjectIsRejected(t *testing.T) {
	c := newClient(t, apptest.Shared(t, "sqlite"))
	config := object(t, c, `{"a":1}`)
	config.Value = json.RawMessage(`{"a":null}`)
	require.ErrorContains(t, c.Configs.Save(t.Context(), &config), "null")
	config.Value = json.RawMessage(`[null]`)
	require.NoError(t, c.Configs.Save(t.Context(), &config), "in a list it can be said")
}
