package status

import "slices"

// Stateful is a model with a machine.
type Stateful interface{ States() *Machine }

// Param is a query parameter that names a state of M.
type Param[M Stateful] struct {
	// State is nil when the query does not name one.
	State *State
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Param[M]) UnmarshalText(text []byte) error {
	state, err := machineOf[M]().Parse(string(text))
	p.State = &state
	return err
}

// EnumType returns a Name of M, whose type names the schema in the contract.
func (Param[M]) EnumType() any { return Name[M]("") }

// Name is the name of a state of M in a representation.
type Name[M Stateful] string

// Enum returns the names of all states.
func (Name[M]) Enum() []string { return machineOf[M]().Names() }

// Machine returns the machine of M. Its name is part of the name of the schema.
func (Name[M]) Machine() *Machine { return machineOf[M]() }

func machineOf[M Stateful]() *Machine {
	var model M
	return model.States()
}

// NameOf returns the name of a state of M by its code in the database.
func NameOf[M Stateful](code int) Name[M] {
	return Name[M](machineOf[M]().Of(code).Name)
}

// ActionName is an action of M that a representation offers.
type ActionName[M Stateful] string

// Enum returns the names of the actions that callers can take.
func (ActionName[M]) Enum() []string { return machineOf[M]().Offered() }

// Machine returns the machine of M. Its name is part of the name of the schema.
func (ActionName[M]) Machine() *Machine { return machineOf[M]() }

// ActionNames converts action names of M for a representation.
func ActionNames[M Stateful](names []string) []ActionName[M] {
	typed := make([]ActionName[M], len(names))
	for i, name := range names {
		typed[i] = ActionName[M](name)
	}
	return typed
}

// EventName is the name of an event in the history of M.
type EventName[M Stateful] string

// Enum returns the names of all events in a history of M: first the events that are not transitions,
// such as "create", then the actions.
func (EventName[M]) Enum() []string {
	machine := machineOf[M]()
	names := slices.Clone(machine.Verbs)
	for _, action := range machine.Actions {
		names = append(names, action.Name)
	}
	return names
}
