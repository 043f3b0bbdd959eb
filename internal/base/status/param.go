package status

// Stateful is a model with a machine.
type Stateful interface{ States() *Machine }

// Param is a query parameter that names a state of M.
type Param[M Stateful] struct {
	// State is nil when the query does not name one.
	State *State
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Param[M]) UnmarshalText(text []byte) error {
	var model M
	state, err := model.States().Parse(string(text))
	p.State = &state
	return err
}
