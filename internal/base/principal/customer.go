package principal

import (
	"encoding/json"
	"errors"
	"regexp"

	"interlock/internal/base/strictjson"
)

// CustomerID is what the shop calls one of its customers: 1 to 64 letters, digits and
// characters of ._:@+=/- in ASCII. Two are the same if all their bytes are: Li is not li.
//
// Whoever keeps one in a key of several parts puts it last, or where no character of it
// can be the end of its part: it has no space, quote, brace, bar, percent sign or NUL.
type CustomerID string

// DistinctID is the length, in bytes, from which an id is looked for inside texts that are not
// about its customer: a shop's "7" is in many of them and names nobody.
const DistinctID = 6

const customerIDRule = "must be 1 to 64 letters, digits or characters of . _ : @ + = / -"

var (
	customerIDs  = regexp.MustCompile(`^[A-Za-z0-9._:@+=/-]{1,64}$`)
	wholeNumbers = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)
)

// Valid reports whether a customer can be called this.
func (id CustomerID) Valid() bool { return customerIDs.MatchString(string(id)) }

// Rule says in a sentence without a subject what Valid asks for.
func (CustomerID) Rule() string { return customerIDRule }

// UnmarshalText reads an id from a path, a query or a header, its escapes decoded.
func (id *CustomerID) UnmarshalText(text []byte) error {
	if !CustomerID(text).Valid() {
		return errors.New(customerIDRule)
	}
	*id = CustomerID(text)
	return nil
}

// UnmarshalJSON reads a string, or a whole number as its decimal text: shops that number
// their customers may send 42 for "42". One customer has one text, so 42.0 and 4.2e1 are
// refused. Whether a string is Valid is for the reader to ask, so that all that is wrong
// with a request can be said at once; null leaves id alone.
func (id *CustomerID) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		return nil
	case text[0] == '"':
		var plain string
		err := json.Unmarshal(text, &plain)
		*id = CustomerID(plain)
		return err
	case wholeNumbers.Match(text):
		*id = CustomerID(text)
		return nil
	}
	return &strictjson.Error{Message: "must be a string or a whole number without fraction and exponent"}
}
