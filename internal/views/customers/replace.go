package customers

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"interlock/internal/base/crockford"
	"interlock/internal/base/principal"
)

// maxNameLength bounds a replaced name or reference, in characters; every column can store
// it.
const maxNameLength = 64

// erasure replaces a customer's traces.
type erasure struct {
	id, pseudonym principal.CustomerID
	// secret derives tickets and digests that only this erasure can attribute. It is deleted at the
	// end of the erasure.
	secret []byte
	// numbers is set for documents of the shop, in which an id can be a number; in
	// documents of this service numbers are ids of its users.
	numbers bool
	// whole matches the id as a separate word, plain or escaped as in paths.
	whole *regexp.Regexp
}

func newErasure(id, pseudonym principal.CustomerID, secret []byte) *erasure {
	words := regexp.QuoteMeta(string(id))
	if escaped := url.PathEscape(string(id)); escaped != string(id) {
		words += "|" + regexp.QuoteMeta(escaped)
	}
	return &erasure{id: id, pseudonym: pseudonym, secret: secret, whole: regexp.MustCompile(`(^|[^A-Za-z0-9])(?:` + words + `)($|[^A-Za-z0-9])`)}
}

// paths returns the resources of the customer's wallet before and after.
func (e *erasure) paths() []any {
	return []any{"wallets/" + url.PathEscape(string(e.id)), "wallets/" + string(e.pseudonym)}
}

// needles returns the texts that a row is searched for.
func (e *erasure) needles() []string {
	needles := []string{string(e.id)}
	if escaped := url.PathEscape(string(e.id)); escaped != string(e.id) {
		needles = append(needles, escaped)
	}
	return needles
}

// mac returns a deterministic replacement for a text that could be traced back to the
// customer.
func (e *erasure) mac(text string) []byte {
	h := hmac.New(sha256.New, e.secret)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// ticket returns the replacement of a ticket; a replaced ticket is recognized by its MAC.
func (e *erasure) ticket(old string) string {
	raw, err := crockford.Encoding.DecodeString(old)
	if err == nil && len(raw) == 20 && hmac.Equal(raw[16:], e.mac("mark" + string(raw[:16]))[:4]) {
		return old
	}
	fresh := e.mac("ticket" + old)[:16]
	return crockford.Encoding.EncodeToString(append(fresh, e.mac("mark" + string(fresh))[:4]...))
}

// digest returns the replacement of a digest of content that named the customer.
func (e *erasure) digest(old string) string {
	const mark = "00000000"
	if old == "" || strings.HasPrefix(old, mark) {
		return old
	}
	return mark + hex.EncodeToString(e.mac("digest" + old))[:max(0, min(len(old), 64)-len(mark))]
}

// name returns a text with the id replaced by the pseudonym.
func (e *erasure) name(text string, own bool) string {
	if text == string(e.id) {
		return string(e.pseudonym)
	}
	if !e.mentions(text, own) {
		return text
	}
	replaced := text
	// Twice: of two ids separated by one character the first match consumes that character.
	for range 2 {
		replaced = e.whole.ReplaceAllString(replaced, "${1}"+string(e.pseudonym)+"${2}")
	}
	if strings.Contains(replaced, string(e.id)) || len(replaced) > maxNameLength && len(replaced) > len(text) {
		return "erased-" + hex.EncodeToString(e.mac("name" + text))[:32]
	}
	return replaced
}

// mentions reports whether a text names the customer. A short id counts only where it is
// certain: in paths, and in rows about the customer.
func (e *erasure) mentions(text string, own bool) bool {
	if len(e.id) >= principal.DistinctID {
		for _, needle := range e.needles() {
			if strings.Contains(text, needle) {
				return true
			}
		}
		return false
	}
	for _, path := range []string{"wallets/", "customers/", "customer:", "customer "} {
		if at := strings.Index(text, path); at >= 0 && e.whole.MatchString("/"+text[at+len(path):]) {
			return true
		}
	}
	return own && e.whole.MatchString(text)
}

// free returns a user's text, blanked if it is about the customer or names the customer.
func (e *erasure) free(text string, own bool) string {
	if text != "" && (own || e.mentions(text, false)) {
		return erased
	}
	return text
}

// written are JSON members with free text of users.
var written = map[string]bool{
	"reason": true, "note": true, "comment": true, "text": true, "title": true, "body": true, "resolution": true,
	"trackingNo": true, "cancelReason": true, "statusReason": true, "voidReason": true, "remark": true, "actorName": true, "email": true,
}

// personal are JSON members with objects that are emptied in rows about the customer.
var personal = map[string]bool{"shippingAddress": true, "billingAddress": true, "metadata": true}

// data returns a document in which nothing names the customer, with the original order and
// spelling.
func (e *erasure) data(text string, own bool) string {
	var before bytes.Buffer
	changed, err := e.document(json.RawMessage(text), "", own)
	if err != nil || json.Compact(&before, []byte(text)) != nil {
		// The text is not JSON, so it is handled as free text.
		return e.free(text, own)
	}
	if before.String() == string(changed) {
		return text
	}
	return string(changed)
}

// naming matches members in which a number is a customer's id.
var naming = regexp.MustCompile(`(?i)(user|customer)(_?id)?$`)

// shops is like data, for a document of the shop, in which a number can be an id.
func (e *erasure) shops(text string) string {
	its := *e
	its.numbers = true
	return its.data(text, false)
}

// document returns the replacement of a member's JSON value.
func (e *erasure) document(raw json.RawMessage, member string, own bool) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return raw, nil
	}
	switch raw[0] {
	case '{':
		if own && personal[member] {
			return json.RawMessage("{}"), nil
		}
		return e.object(raw, own)
	case '[':
		return e.array(raw, member, own)
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		fresh := e.member(member, text, own)
		if fresh == text {
			return raw, nil
		}
		return json.Marshal(fresh)
	}
	if e.numbers && string(raw) == string(e.id) && naming.MatchString(member) {
		return json.Marshal(string(e.pseudonym))
	}
	return raw, nil
}

// member returns the replacement of a member's text.
func (e *erasure) member(member, text string, own bool) string {
	switch {
	case member == "ticket" && own:
		return e.ticket(text)
	case member == "digest" && own:
		return e.digest(text)
	case written[member]:
		return e.free(text, own)
	}
	return e.name(text, own)
}

func (e *erasure) object(raw json.RawMessage, own bool) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		fresh, err := e.document(value, name, own)
		if err != nil {
			return nil, err
		}
		key, err := json.Marshal(e.name(name, false))
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), fresh...)
	}
	return append(out, '}'), nil
}

func (e *erasure) array(raw json.RawMessage, member string, own bool) (json.RawMessage, error) {
	var values []json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, err
	}
	out := []byte{'['}
	for i, value := range values {
		fresh, err := e.document(value, member, own)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, fresh...)
	}
	return append(out, ']'), nil
}
