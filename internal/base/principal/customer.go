package principal

import (
	"encoding/json"
	"errors"
	"regexp"

	"interlock/internal/base/strictjson"
)

// CustomerID is a customer's id in the shop: 1 to 128 ASCII letters, digits and characters
// of ._:@+=/|-. Ids are compared by bytes: Li is not li.
//
// A composite key must have the id last, or use a separator that an id cannot contain:
// space, quote, brace, percent sign or NUL.
type CustomerID string

// DistinctID is the minimum length, in bytes, of an id that is searched for in texts about
// other subjects: a short id such as "7" occurs in many texts without naming the customer.
const DistinctID = 6

const customerIDRule = "must be 1 to 128 letters, digits or characters of . _ : @ + = / | -"

var (
	customerIDs  = regexp.MustCompile(`^[A-Za-z0-9._:@+=/|-]{1,128}$`)
	wholeNumbers = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)
)

// Valid reports whether the id is well-formed.
func (id CustomerID) Valid() bool { return customerIDs.MatchString(string(id)) }

// Rule returns the rule of Valid as a sentence without a subject.
func (CustomerID) Rule() string { return customerIDRule }

// UnmarshalText decodes an id from an unescaped path, query or header value.
func (id *CustomerID) UnmarshalText(text []byte) error {
	if !CustomerID(text).Valid() {
		return errors.New(customerIDRule)
	}
	*id = CustomerID(text)
	return nil
}

// UnmarshalJSON decodes a string, or a whole number as its decimal text: shops with numeric
// ids may send 42 for "42". Each customer has one text, so 42.0 and 4.2e1 are rejected. The
// caller must check Valid for a string, so that one response can report all violations of a
// request; null leaves id unchanged.
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
