package gate

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Tickets and buyers are stored in Redis as texts, with a letter for the state:
//
//	state units user accepted-µs ahead order-id order-no reason
//	units held|latest ticket
//
// Users, order numbers and reasons contain no space.
var stateCodes = map[State]string{Queued: "q", Processing: "p", Buried: "d", Confirmed: "c", Rejected: "r", Cancelled: "x"}

var statesByCode = func() map[string]State {
	states := make(map[string]State, len(stateCodes))
	for state, code := range stateCodes {
		states[code] = state
	}
	return states
}()

func codesOf(states []State) string {
	var b strings.Builder
	for _, state := range states {
		b.WriteString(stateCodes[state])
	}
	return b.String()
}

func recordOf(t Ticket) string {
	return fmt.Sprintf("%s %d %s %d %d %d %s %s", stateCodes[t.State], t.Units, t.User, t.AcceptedTime.UnixMicro(), t.Ahead, t.OrderID, t.OrderNo, t.Reason)
}

// decodeRecord decodes a record, nil for an empty one.
func decodeRecord(id, record string) (*Ticket, error) {
	if record == "" {
		return nil, nil
	}
	t, err := readRecord(id, record)
	return &t, err
}

func readRecord(id, record string) (Ticket, error) {
	t := Ticket{ID: id}
	unreadable := fmt.Errorf("gate: the record %q of ticket %s cannot be read", record, id)
	parts := strings.SplitN(record, " ", 8)
	if len(parts) != 8 {
		return t, unreadable
	}
	var accepted int64
	for _, number := range [...]struct {
		text string
		into *int64
	}{{parts[1], &t.Units}, {parts[3], &accepted}, {parts[4], &t.Ahead}, {parts[5], &t.OrderID}} {
		n, err := strconv.ParseInt(number.text, 10, 64)
		if err != nil {
			return Ticket{ID: id}, unreadable
		}
		*number.into = n
	}
	t.State, t.User, t.OrderNo, t.Reason = statesByCode[parts[0]], parts[2], parts[6], parts[7]
	if t.State == "" || t.User == "" {
		return Ticket{ID: id}, unreadable
	}
	t.AcceptedTime = time.UnixMicro(accepted).UTC()
	return t, nil
}
