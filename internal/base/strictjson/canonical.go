package strictjson

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns one text for all spellings of a JSON value: members sorted, no
// spaces, strings with no escape that they do not need (RFC 8785). Numbers stay as they
// are spelled, unlike there, because a double cannot tell large ones apart.
func Canonical(text []byte) ([]byte, error) {
	value := jsontext.Value(text).Clone()
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return value, nil
}
