package mq

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"
)

// The stored form of a message; integers are big-endian. The counters and the ID have fixed
// offsets, at which the scripts read them.
//
//	0      1   version, 1
//	1      2   attempts
//	3      2   crashes
//	5      8   enqueued time in µs since 1970
//	13     2   length n of the ID
//	15     n   ID
//	15+n   1   number of trace entries; for each: 2 + key, 2 + value
//	…          body
const (
	encodingVersion = 1
	offsetAttempts  = 1
	offsetCrashes   = 3
	offsetEnqueued  = 5
	offsetIDLength  = 13
	offsetID        = 15

	maxCount = math.MaxUint16
)

// Encode returns the stored form of m, for Keys().Pending. Equal messages have equal forms.
// Error: ErrInvalidMessage.
func Encode(m Message) ([]byte, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	if len(m.Trace) > math.MaxUint8 {
		return nil, fmt.Errorf("%w %q: %d trace entries", ErrInvalidMessage, m.ID, len(m.Trace))
	}
	b := make([]byte, 0, offsetID+len(m.ID)+1+64*len(m.Trace)+len(m.Body))
	b = append(b, encodingVersion)
	b = binary.BigEndian.AppendUint16(b, uint16(m.Attempts))
	b = binary.BigEndian.AppendUint16(b, uint16(m.Crashes))
	b = binary.BigEndian.AppendUint64(b, uint64(m.EnqueuedTime.UnixMicro()))
	b = appendText(b, m.ID)
	b = append(b, byte(len(m.Trace)))
	for _, key := range traceKeys(m.Trace) {
		value := m.Trace[key]
		if len(key) > math.MaxUint16 || len(value) > math.MaxUint16 {
			return nil, fmt.Errorf("%w %q: a trace entry of %d bytes", ErrInvalidMessage, m.ID, len(key)+len(value))
		}
		b = appendText(appendText(b, key), value)
	}
	return append(b, m.Body...), nil
}

// Decode reads the stored form. The body aliases data. Error: ErrUndecodable.
func Decode(data []byte) (Message, error) {
	if len(data) < offsetID {
		return Message{}, fmt.Errorf("%w: %d bytes", ErrUndecodable, len(data))
	}
	if data[0] != encodingVersion {
		return Message{}, fmt.Errorf("%w: version %d", ErrUndecodable, data[0])
	}
	m := Message{
		Attempts:     int(binary.BigEndian.Uint16(data[offsetAttempts:])),
		Crashes:      int(binary.BigEndian.Uint16(data[offsetCrashes:])),
		EnqueuedTime: time.UnixMicro(int64(binary.BigEndian.Uint64(data[offsetEnqueued:]))).UTC(),
	}
	r := reader{data[offsetIDLength:]}
	id, ok := r.text()
	if !ok || id == "" || len(id) > MaxIDLength {
		return Message{}, fmt.Errorf("%w: no ID", ErrUndecodable)
	}
	m.ID = id
	if m.Trace, ok = r.trace(); !ok {
		return Message{}, fmt.Errorf("%w %q: its trace entries are cut or out of order", ErrUndecodable, m.ID)
	}
	m.Body = r.rest
	return m, nil
}

func traceKeys(trace map[string]string) []string {
	if len(trace) == 0 {
		return nil
	}
	keys := make([]string, 0, len(trace))
	for key := range trace {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func appendText(b []byte, text string) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

type reader struct{ rest []byte }

func (r *reader) text() (string, bool) {
	if len(r.rest) < 2 {
		return "", false
	}
	n := int(binary.BigEndian.Uint16(r.rest))
	if len(r.rest) < 2+n {
		return "", false
	}
	text := string(r.rest[2 : 2+n])
	r.rest = r.rest[2+n:]
	return text, true
}

// trace reads the entries. Their keys must ascend, so that each message has exactly one
// form.
func (r *reader) trace() (map[string]string, bool) {
	if len(r.rest) == 0 {
		return nil, false
	}
	n := int(r.rest[0])
	r.rest = r.rest[1:]
	if n == 0 {
		return nil, true
	}
	trace := make(map[string]string, n)
	previous := ""
	for i := range n {
		key, ok := r.text()
		if !ok || (i > 0 && key <= previous) {
			return nil, false
		}
		value, ok := r.text()
		if !ok {
			return nil, false
		}
		trace[key], previous = value, key
	}
	return trace, true
}
