package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Omitter encodes values without the object members of one Go type. It is safe for concurrent use.
type Omitter struct {
	mark  string
	calls sync.Pool // of *omission
}

// omission is the state of one call of Encode. Its options are pooled with it, because they cache
// the encoders of types.
type omission struct {
	options jsonv2.Options
	// found are the members to omit. Their value in the encoded text is null until replaceMembers
	// removes them.
	found []jsontext.Pointer
}

// NewOmitter returns an Omitter of the members of type T or []T that are not empty. It adds
// {mark: true} to the root object if it omits any.
func NewOmitter[T ~string](mark string) *Omitter {
	return &Omitter{mark: mark, calls: sync.Pool{New: func() any {
		call := new(omission)
		call.options = jsonv2.JoinOptions(asTheAPI, jsonv2.WithMarshalers(jsonv2.JoinMarshalers(
			jsonv2.MarshalToFunc(func(out *jsontext.Encoder, value T) error { return call.omit(out, value != "") }),
			jsonv2.MarshalToFunc(func(out *jsontext.Encoder, values []T) error { return call.omit(out, len(values) > 0) }),
			marshalers,
		)))
		return call
	}}}
}

// omit writes null in place of a value that is omitted. For any other value it returns
// errors.ErrUnsupported, so that the encoder encodes the value.
func (o *omission) omit(out *jsontext.Encoder, applies bool) error {
	if !applies {
		return errors.ErrUnsupported
	}
	err := out.WriteToken(jsontext.Null)
	o.found = append(o.found, out.StackPointer())
	return err
}

// Encode encodes a value as the package's Encode does, except for the omitted members. It
// reports whether it omitted any.
func (o *Omitter) Encode(v any) (text []byte, omitted bool, err error) {
	call := o.calls.Get().(*omission)
	defer o.calls.Put(call)
	call.found = nil
	text, err = jsonv2.Marshal(v, call.options)
	if err != nil || call.found == nil {
		return text, false, err
	}
	text, err = replaceMembers(text, call.found, o.mark)
	return text, true, err
}

// replaceMembers removes members from a text and adds {mark: true} to its root object.
func replaceMembers(text []byte, members []jsontext.Pointer, mark string) ([]byte, error) {
	var out bytes.Buffer
	in, encoder := jsontext.NewDecoder(bytes.NewReader(text)), jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes()), nil
		}
		switch {
		case err != nil:
		case slices.Contains(members, in.StackPointer()):
			// The token is the name of the member.
			err = in.SkipValue()
		case in.StackDepth() == 0:
			err = errors.Join(encoder.WriteToken(jsontext.String(mark)), encoder.WriteToken(jsontext.True), encoder.WriteToken(token))
		default:
			err = encoder.WriteToken(token)
		}
		if err != nil {
			return nil, fmt.Errorf("omit members: %w", err)
		}
	}
}
