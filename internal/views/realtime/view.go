package realtime

import (
	"time"

	"interlock/internal/events"
)

// Person is somebody on a resource, however many tabs it has open there.
type Person struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// Field is the one that was chosen last; "" for none.
	Field string `json:"field"`
	// Since is when the person came.
	Since time.Time `json:"since"`
}

// Present are the people on a resource.
type Present struct {
	Resource string   `json:"resource"`
	People   []Person `json:"people"`
}

// othersView is the reply to a heartbeat.
type othersView struct {
	Others []Person `json:"others"`
}

// topicsView is the data of the events ready and lagged.
type topicsView struct {
	Topics []string `json:"topics"`
}

// changeView is the data of an event that says that a row changed.
type changeView struct {
	Topic string `json:"topic"`
	Key   string `json:"key"`
	events.Change
}
