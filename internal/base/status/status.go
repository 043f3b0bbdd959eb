// Package status declares state machines as data.
//
// A machine is declared once, as a table of actions. The transition check,
// allowedTransitions in replies, the buttons of the web admin and the diagrams in docs/ are
// derived from it. A machine does not handle concurrency: that is the WHERE clause of
// guard.Transition.
package status

import (
	"fmt"
	"slices"
	"strings"
)

// State is one state of a machine: its name in the API and its code in the database. Codes
// are never reused.
type State struct {
	Code int
	Name string
}

// Action is a transition of the machine.
type Action struct {
	Name string
	// Participle is for messages: "cancelled" for "cancel".
	Participle string
	From       []State
	To         State
	// Within are additional states that allow the action; the action does not change them.
	Within []State
	// Internal actions are run by the program and never offered to a caller.
	Internal bool
}

// Machine is a state machine.
type Machine struct {
	// Name is the resource's name in the singular, such as "order".
	Name    string
	Initial State
	States  []State
	Actions []Action
	// Verbs are the names of the events in a history that are not actions, such as "create".
	Verbs []string
}

// New validates the declaration and returns it. An invalid declaration is a programming
// error and panics at start.
func New(m Machine) *Machine {
	names, codes := map[string]bool{}, map[int]bool{}
	for _, s := range m.States {
		if names[s.Name] || codes[s.Code] {
			panic(fmt.Sprintf("status: %s: state %q (%d) is declared twice", m.Name, s.Name, s.Code))
		}
		names[s.Name], codes[s.Code] = true, true
	}
	known := func(s State) bool { return slices.Contains(m.States, s) }
	actions := map[string]bool{}
	for _, a := range m.Actions {
		if actions[a.Name] || !known(a.To) || len(a.From) == 0 || slices.ContainsFunc(slices.Concat(a.From, a.Within), func(s State) bool { return !known(s) }) {
			panic(fmt.Sprintf("status: %s: action %q is declared twice or leads to or from an unknown state", m.Name, a.Name))
		}
		if a.Participle == "" {
			panic(fmt.Sprintf("status: %s: action %q has no participle", m.Name, a.Name))
		}
		actions[a.Name] = true
	}
	if !known(m.Initial) {
		panic(fmt.Sprintf("status: %s: the initial state is unknown", m.Name))
	}
	return &m
}

// Of returns the state with a code from the database. An unknown code is corrupt data and
// gets the name unknown(code).
func (m *Machine) Of(code int) State {
	for _, s := range m.States {
		if s.Code == code {
			return s
		}
	}
	return State{Code: code, Name: fmt.Sprintf("unknown(%d)", code)}
}

// Named returns the state with a name of the API.
func (m *Machine) Named(name string) (State, bool) {
	for _, s := range m.States {
		if s.Name == name {
			return s, true
		}
	}
	return State{}, false
}

// Parse returns the state that a request parameter names. The error lists the valid names.
func (m *Machine) Parse(name string) (State, error) {
	state, known := m.Named(name)
	if !known {
		return State{}, fmt.Errorf("must be one of %s", strings.Join(m.Names(), ", "))
	}
	return state, nil
}

// Names returns the names of all states, in the order of the declaration.
func (m *Machine) Names() []string {
	names := make([]string, len(m.States))
	for i, s := range m.States {
		names[i] = s.Name
	}
	return names
}

// Allowed returns the actions that a caller may run from a state, in the order of the
// declaration; never nil, so that it is [] in JSON.
func (m *Machine) Allowed(from State) []string {
	allowed := make([]string, 0, len(m.Actions))
	for _, a := range m.Actions {
		if !a.Internal && (slices.Contains(a.From, from) || slices.Contains(a.Within, from)) {
			allowed = append(allowed, a.Name)
		}
	}
	return allowed
}

// Offered returns the actions that callers can run, in the order of the declaration.
func (m *Machine) Offered() (names []string) {
	for _, a := range m.Actions {
		if !a.Internal {
			names = append(names, a.Name)
		}
	}
	return names
}

// Next returns the state to which an action leads from a state, and false if the machine
// does not allow it. An unknown action is a programming error and panics.
func (m *Machine) Next(action string, from State) (State, bool) {
	for _, a := range m.Actions {
		switch {
		case a.Name != action:
		case slices.Contains(a.Within, from):
			return from, true
		default:
			return a.To, slices.Contains(a.From, from)
		}
	}
	panic(fmt.Sprintf("status: %s has no action %q", m.Name, action))
}

// Participle returns the participle of an action: "paid" for "pay". An unknown action is
// returned unchanged.
func (m *Machine) Participle(action string) string {
	for _, a := range m.Actions {
		if a.Name == action {
			return a.Participle
		}
	}
	return action
}

// ReachedBy returns the participle of the action that leads to a state, and false for the
// initial one.
func (m *Machine) ReachedBy(state State) (participle string, reached bool) {
	for _, a := range m.Actions {
		if a.To == state && state != m.Initial {
			return a.Participle, true
		}
	}
	return "", false
}

// Mermaid returns the machine as a Mermaid state diagram.
func (m *Machine) Mermaid() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	fmt.Fprintf(&b, "    [*] --> %s\n", m.Initial.Name)
	for _, a := range m.Actions {
		for _, from := range a.From {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", from.Name, a.To.Name, a.Name)
		}
		for _, state := range a.Within {
			fmt.Fprintf(&b, "    %[1]s --> %[1]s: %s\n", state.Name, a.Name)
		}
	}
	for _, s := range m.States {
		if !slices.ContainsFunc(m.Actions, func(a Action) bool { return slices.Contains(a.From, s) }) {
			fmt.Fprintf(&b, "    %s --> [*]\n", s.Name)
		}
	}
	return b.String()
}
