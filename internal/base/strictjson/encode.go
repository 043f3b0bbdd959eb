package strictjson

import (
	"encoding/json"
	"fmt"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// timeFormat is RFC 3339 in UTC with all six digits of the microseconds, so that
// times compare as text.
const timeFormat = `"2006-01-02T15:04:05.000000Z"`

// asTheAPI are the encoding options of replies: like encoding/json, but times always have
// microseconds, and <, > and & are not escaped, because replies are never HTML.
var asTheAPI = jsonv2.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	jsontext.EscapeForHTML(false),
	jsontext.EscapeForJS(false),
	jsonv2.WithMarshalers(marshalers),
)

var marshalers = jsonv2.JoinMarshalers(jsonv2.MarshalToFunc(encodeTime), jsonv2.MarshalToFunc(encodeNumber))

func encodeTime(out *jsontext.Encoder, t time.Time) error {
	if year := t.Year(); year < 0 || year > 9999 {
		return fmt.Errorf("the year %d has no four digits", year)
	}
	return out.WriteValue(t.UTC().AppendFormat(out.AvailableBuffer(), timeFormat))
}

// encodeNumber preserves the spelling of a number.
func encodeNumber(out *jsontext.Encoder, n json.Number) error {
	if n == "" {
		n = "0"
	}
	return out.WriteValue(append(out.AvailableBuffer(), n...))
}

// Encode encodes a value as in replies of the API.
func Encode(v any) ([]byte, error) { return jsonv2.Marshal(v, asTheAPI) }
