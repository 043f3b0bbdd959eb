package events

import "github.com/google/uuid"

// maxPast is the number of events that a process stores for resuming readers. At about 500
// bytes each they cover minutes of a busy shop.
const maxPast = 4096

// past is a ring of the newest events that a process has received without a gap, so that a stream
// can resume. All processes on one bus receive events in the same order, so the last event that a
// reader received from another process is a valid cursor too. The lock of the hub guards past.
type past struct {
	// begin is the cursor before the first stored event.
	begin string
	// ring contains the events; the event at position n is ring[n % maxPast].
	ring []Event
	// next is the position of the next event.
	next uint64
	// places maps the ID of each stored event to the position of its first copy, because a reader
	// may have received only the first copy of a duplicate.
	places map[string]uint64
}

func newPast() past { return past{begin: uuid.NewString(), places: make(map[string]uint64)} }

// add stores an event. An event without an ID is not stored, because no reader resumes with
// it.
func (p *past) add(event Event) {
	if event.ID == "" {
		return
	}
	if len(p.ring) < maxPast {
		p.ring = append(p.ring, event)
	} else {
		old := &p.ring[p.next%maxPast]
		if first := p.places[old.ID]; first+maxPast == p.next {
			delete(p.places, old.ID)
		}
		*old = event
	}
	if _, twice := p.places[event.ID]; !twice {
		p.places[event.ID] = p.next
	}
	p.next++
}

// end returns the cursor after the newest event.
func (p *past) end() string {
	if p.next == 0 {
		return p.begin
	}
	return p.ring[(p.next-1)%maxPast].ID
}

// after returns the events after a cursor, oldest first, and false if some of them are no
// longer stored or the cursor is unknown.
func (p *past) after(place string) ([]Event, bool) {
	from, known := p.places[place]
	switch {
	case known:
		from++
	case place == p.begin && p.next <= maxPast:
		from = 0
	default:
		return nil, false
	}
	events := make([]Event, 0, p.next-from)
	for ; from < p.next; from++ {
		events = append(events, p.ring[from%maxPast])
	}
	return events, true
}
