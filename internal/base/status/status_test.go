package status_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/status"
)

var (
	open   = status.State{Code: 0, Name: "open"}
	shut   = status.State{Code: 1, Name: "shut"}
	burned = status.State{Code: 2, Name: "burned"}
)

func door() status.Machine {
	return status.Machine{
		Name: "door", Initial: open, States: []status.State{open, shut, burned},
		Actions: []status.Action{
			{Name: "shut", Participle: "shut", From: []status.State{open}, To: shut},
			{Name: "open", Participle: "opened", From: []status.State{shut}, To: open},
			{Name: "burn", Participle: "burned", From: []status.State{open, shut}, To: burned, Internal: true},
		},
	}
}

func TestMachineAllowsOnlyDeclaredTransitions(t *testing.T) {
	m := status.New(door())
	require.Equal(t, []string{"shut"}, m.Allowed(open))
	require.Equal(t, []string{}, m.Allowed(burned), "[] in JSON, not null")
	to, ok := m.Next("burn", shut)
	require.True(t, ok)
	require.Equal(t, burned, to)
	_, ok = m.Next("open", open)
	require.False(t, ok)
	require.Panics(t, func() { m.Next("paint", open) })
}

func TestSentencesNameTheTransition(t *testing.T) {
	m := status.New(door())
	require.Equal(t, "opened", m.Participle("open"))
	require.Equal(t, "painted", m.Participle("painted"), "an undefined action is a participle")
	participle, reached := m.ReachedBy(burned)
	require.True(t, reached)
	require.Equal(t, "burned", participle)
	_, reached = m.ReachedBy(open)
	require.False(t, reached, "a row can be in its initial state from the start")
}

func TestStatesAreFoundByCodeAndByName(t *testing.T) {
	m := status.New(door())
	require.Equal(t, shut, m.Of(1))
	require.Equal(t, "unknown(9)", m.Of(9).Name)
	found, ok := m.Named("burned")
	require.True(t, ok)
	require.Equal(t, burned, found)
	_, ok = m.Named("gone")
	require.False(t, ok)
	require.Equal(t, []string{"open", "shut", "burned"}, m.Names())
	found, err := m.Parse("burned")
	require.NoError(t, err)
	require.Equal(t, burned, found)
	_, err = m.Parse("gone")
	require.EqualError(t, err, "must be one of open, shut, burned")
}

func TestContradictoryDeclarationPanics(t *testing.T) {
	stranger := status.State{Code: 9, Name: "stranger"}
	mistakes := map[string]func(*status.Machine){
		"state twice":      func(m *status.Machine) { m.States = append(m.States, open) },
		"code twice":       func(m *status.Machine) { m.States = append(m.States, status.State{Code: 0, Name: "ajar"}) },
		"action twice":     func(m *status.Machine) { m.Actions = append(m.Actions, m.Actions[0]) },
		"no participle":    func(m *status.Machine) { m.Actions[0].Participle = "" },
		"from nowhere":     func(m *status.Machine) { m.Actions[0].From = nil },
		"from unknown":     func(m *status.Machine) { m.Actions[0].From = []status.State{stranger} },
		"to unknown":       func(m *status.Machine) { m.Actions[0].To = stranger },
		"unknown at start": func(m *status.Machine) { m.Initial = stranger },
	}
	for name, mistake := range mistakes {
		m := door()
		mistake(&m)
		require.Panics(t, func() { status.New(m) }, name)
	}
}

func TestMachineRendersAsADiagram(t *testing.T) {
	require.Equal(t, `stateDiagram-v2
    [*] --> open
    open --> shut: shut
    shut --> open: open
    open --> burned: burn
    shut --> burned: burn
    burned --> [*]
`, status.New(door()).Mermaid())
}
