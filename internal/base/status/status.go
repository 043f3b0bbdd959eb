// Package status declares state machines as data.
//
// A machine is written once, as a table of actions. From it come the check of a
// transition, allowedTransitions in replies, the buttons of the web admin and
// the diagrams in docs/. A machine decides nothing about concurrency: that is
// guard.Transition's WHERE clause.
package status

import (
	"fmt"
	"slices"
	"strings"
)

// State is one state of a machine: the name the API shows and the code the
// database keeps. Codes are never reused.
type State struct {
	Code int
	Name string
}

// Action moves a row along the machine.
type Action struct {
	Name string
	// Participle is for sentences: "cancelled" of "cancel".
	Participle string
	From       []State
	To         State
	// Internal actions are taken by the program and never offered to a caller.
	Internal bool
}

// Machine is a state machine.
type Machine struct {
	// Name is the resource's name in the singular, such as "order".
	Name    string
	Initial State
	States  []State
	Actions []Action
}

// New checks the declaration and returns it. A declaration is part of the
// program's text, so a contradiction in it panics at start.
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
		if actions[a.Name] || !known(a.To) || len(a.From) == 0 || slices.ContainsFunc(a.From, func(s State) bool { return !known(s) }) {
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

// Of returns the state with a code of the database. An unknown code is a fault
// of the data and is shown as such.
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

// Parse is Named for a parameter of a request: its error says what the text must be.
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

// Allowed returns the actions that a caller may take from a state, in the order
// of the declaration; never nil, so that it is [] in JSON.
func (m *Machine) Allowed(from State) []string {
	allowed := make([]string, 0, len(m.Actions))
	for _, a := range m.Actions {
		if !a.Internal && slices.Contains(a.From, from) {
			allowed = append(allowed, a.Name)
		}
	}
	return allowed
}

// Next returns where an action leads from a state, and false when the machine
// does not allow it there. An action the machine does not know is a fault of the
// program and panics.
func (m *Machine) Next(action string, from State) (State, bool) {
	for _, a := range m.Actions {
		if a.Name == action {
			return a.To, slices.Contains(a.From, from)
		}
	}
	panic(fmt.Sprintf("status: %s has no action %q", m.Name, action))
}

// Participle returns an action as a sentence says that it is done: "paid" of "pay". What
// the machine does not know is taken to be one.
func (m *Machine) Participle(action string) string {
	for _, a := range m.Actions {
		if a.Name == action {
			return a.Participle
		}
	}
	return action
}

// ReachedBy returns the participle of the action that leads to a state, and false for
// the initial one.
func (m *Machine) ReachedBy(state State) (participle string, reached bool) {
	for _, a := range m.Actions {
		if a.To == state && state != m.Initial {
			return a.Participle, true
		}
	}
	return "", false
}

// Mermaid draws the machine as a Mermaid state diagram.
func (m *Machine) Mermaid() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	fmt.Fprintf(&b, "    [*] --> %s\n", m.Initial.Name)
	for _, a := range m.Actions {
		for _, from := range a.From {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", from.Name, a.To.Name, a.Name)
		}
	}
	for _, s := range m.States {
		if !slices.ContainsFunc(m.Actions, func(a Action) bool { return slices.Contains(a.From, s) }) {
			fmt.Fprintf(&b, "    %s --> [*]\n", s.Name)
		}
	}
	return b.String()
}
