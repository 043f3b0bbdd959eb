package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var (
	errNull     = &Error{Message: "must not be null"}
	nullLiteral = []byte("null")

	timeType        = reflect.TypeFor[time.Time]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	fromUnmarshaler = reflect.TypeFor[jsonv2.UnmarshalerFrom]()
)

func mayHoldNull(data []byte) bool { return bytes.Contains(data, nullLiteral) }

// refuseNull returns an error if the next value is null and the type of target does not accept
// null. The decoder calls it before it decodes each value.
func refuseNull(decoder *jsontext.Decoder, target any) error {
	if decoder.PeekKind() == 'n' && !acceptsNull(reflect.TypeOf(target)) {
		return errNull
	}
	return errors.ErrUnsupported // decode as usual
}

func acceptsNull(pointer reflect.Type) bool {
	switch target := pointer.Elem(); {
	case target.Kind() == reflect.Pointer, target.Kind() == reflect.Interface:
		return true
	case target == timeType:
		return false
	}
	return decodesItself(pointer)
}

func decodesItself(pointer reflect.Type) bool {
	return pointer.Implements(jsonUnmarshaler) || pointer.Implements(fromUnmarshaler)
}
