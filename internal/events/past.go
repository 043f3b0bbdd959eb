package events

import "github.com/google/uuid"

// kept is how many events a process keeps for those who come back. With some 500 bytes
// each they are minutes of a busy shop.
const kept = 4096

// past is the newest events that a process has received, without a break in between, so
// that a stream that ended goes on where it was. All processes on one bus receive in the
// same order, so an event that another process sent last is as good a place. It belongs to
// one hub, under its lock.
type past struct {
	// begin names the place before the first event that was kept.
	begin string
	// ring holds the events; the one at place n is ring[n % kept].
	ring []Event
	// next is the place of the event to come.
	next uint64
	// places has where the events that are kept arrived first: one that arrives twice is a
	// place at which something could still be missing only from there on.
	places map[string]uint64
}

func newPast() past { return past{begin: uuid.NewString(), places: make(map[string]uint64)} }

// add keeps an event. One without an ID is no place, and nobody comes back for it.
func (p *past) add(event Event) {
	if event.ID == "" {
		return
	}
	if len(p.ring) < kept {
		p.ring = append(p.ring, event)
	} else {
		old := &p.ring[p.next%kept]
		if first := p.places[old.ID]; first+kept == p.next {
			delete(p.places, old.ID)
		}
		*old = event
	}
	if _, twice := p.places[event.ID]; !twice {
		p.places[event.ID] = p.next
	}
	p.next++
}

// end names the place behind the newest event.
func (p *past) end() string {
	if p.next == 0 {
		return p.begin
	}
	return p.ring[(p.next-1)%kept].ID
}

// after returns the events behind a place, oldest first, and false when some of them are
// not kept any more, or the place is none of this past.
func (p *past) after(place string) ([]Event, bool) {
	from, known := p.places[place]
	switch {
	case known:
		from++
	case place == p.begin && p.next <= kept:
		from = 0
	default:
		return nil, false
	}
	events := make([]Event, 0, p.next-from)
	for ; from < p.next; from++ {
		events = append(events, p.ring[from%kept])
	}
	return events, true
}
