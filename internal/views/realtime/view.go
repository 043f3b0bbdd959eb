package realtime

import (
	"time"

	"interlock/internal/events"
)

// Person is a user on a resource, regardless of the number of tabs.
type Person struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// Field is the field chosen last; "" for none.
	Field string `json:"field"`
	// Since is the start of the user's presence.
	Since time.Time `json:"since"`
}

// Present lists the users on a resource.
type Present struct {
	Resource string   `json:"resource"`
	People   []Person `json:"people"`
}

// SchemaName returns the name of the type in the contract.
func (Present) SchemaName() string { return "Presence" }

// othersView is the reply to a heartbeat.
type othersView struct {
	Others []Person `json:"others"`
}

// topicsView is the data of the events ready and lagged.
type topicsView struct {
	Topics []string `json:"topics"`
}

// changeView is the data of an event about a changed row.
type changeView struct {
	Topic string `json:"topic"`
	Key   string `json:"key"`
	events.Change
}
