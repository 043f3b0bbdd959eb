package aggregates

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"

	"interlock/internal/base/strictjson"
)

// fingerprintOf covers what an event says: type, time, deltas and payload, and none of
// its names. Each part is preceded by its length, so that no two contents share one by
// moving bytes from part to part. The payload counts as the value that it is, however it
// is spelled.
func fingerprintOf(e *Event) ([]byte, error) {
	payload, err := strictjson.Canonical([]byte(e.Payload))
	if err != nil {
		return nil, err
	}
	parts := [][]byte{[]byte(e.EventType), strconv.AppendInt(nil, e.EventTime.UnixMicro(), 10), payload}
	for _, name := range slices.Sorted(maps.Keys(e.Deltas)) {
		parts = append(parts, []byte(name), strconv.AppendInt(nil, e.Deltas[name], 10))
	}
	hash := sha256.New()
	var size [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		hash.Write(size[:])
		hash.Write(part)
	}
	return hash.Sum(nil), nil
}

// differences names what two events say differently; nil when their fingerprints are
// the same.
func differences(landed, asked *Event) []string {
	if bytes.Equal(landed.Fingerprint, asked.Fingerprint) {
		return nil
	}
	var differ []string
	if landed.EventType != asked.EventType {
		differ = append(differ, "eventType")
	}
	if !landed.EventTime.Equal(asked.EventTime) {
		differ = append(differ, "eventTime")
	}
	if !maps.Equal(landed.Deltas, asked.Deltas) {
		differ = append(differ, "deltas")
	}
	// The payload is what is left when all else is equal.
	if len(differ) == 0 || !strictjson.Same(landed.Payload, asked.Payload) {
		differ = append(differ, "payload")
	}
	return differ
}
