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

// fingerprintOf hashes the content of an event: type, time, deltas and payload, without its names.
// Each part is preceded by its length, so that moving bytes between parts changes the hash. The
// payload is hashed in canonical form, independent of its spelling.
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

// differences names the members in which two events differ; nil if their fingerprints are equal.
func differences(recorded, requested *Event) []string {
	if bytes.Equal(recorded.Fingerprint, requested.Fingerprint) {
		return nil
	}
	var differ []string
	if recorded.EventType != requested.EventType {
		differ = append(differ, "eventType")
	}
	if !recorded.EventTime.Equal(requested.EventTime) {
		differ = append(differ, "eventTime")
	}
	if !maps.Equal(recorded.Deltas, requested.Deltas) {
		differ = append(differ, "deltas")
	}
	// If all other members are equal, the payload differs.
	if len(differ) == 0 || !strictjson.Same(recorded.Payload, requested.Payload) {
		differ = append(differ, "payload")
	}
	return differ
}
