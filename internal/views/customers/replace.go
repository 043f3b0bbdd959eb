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

// longestName bounds what a name or a reference becomes, in characters; every column holds it.
const longestName = 64

// erasure is what a customer's traces become.
type erasure struct {
	id, pseudonym principal.CustomerID
	// secret makes tickets and digests that only this erasure can tell the origin of; it is
	// thrown away with its end.
	secret []byte
	// numbers is set for documents of the shop's, in which an id can be a number; in those of this
	// service the ids of its users are.
	numbers bool
	// whole finds the id as a word of its own, as it is or as it is escaped in paths.
	whole *regexp.Regexp
}

func newErasure(id, pseudonym principal.CustomerID, secret []byte) *erasure {
	words := regexp.QuoteMeta(string(id))
	if escaped := url.PathEscape(string(id)); escaped != string(id) {
		words += "|" + regexp.QuoteMeta(escaped)
	}
	return &erasure{id: id, pseudonym: pseudonym, secret: secret, whole: regexp.MustCompile(`(^|[^A-Za-z0-9])(?:` + words + `)($|[^A-Za-z0-9])`)}
}

// paths are the resources of the customer's wallet before and after.
func (e *erasure) paths() []any {
	return []any{"wallets/" + url.PathEscape(string(e.id)), "wallets/" + string(e.pseudonym)}
}

// needles are what a row is looked through for.
func (e *erasure) needles() []string {
	needles := []string{string(e.id)}
	if escaped := url.PathEscape(string(e.id)); escaped != string(e.id) {
		needles = append(needles, escaped)
	}
	return needles
}

// mac returns another text for one that can be traced back to the customer, always the same.
func (e *erasure) mac(text string) []byte {
	h := hmac.New(sha256.New, e.secret)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// ticket returns what a ticket becomes; one that was replaced already is recognised by its mark.
func (e *erasure) ticket(old string) string {
	raw, err := crockford.Encoding.DecodeString(old)
	if err == nil && len(raw) == 20 && hmac.Equal(raw[16:], e.mac("mark" + string(raw[:16]))[:4]) {
		return old
	}
	fresh := e.mac("ticket" + old)[:16]
	return crockford.Encoding.EncodeToString(append(fresh, e.mac("mark" + string(fresh))[:4]...))
}

// digest returns what the digest of a content that named the customer becomes.
func (e *erasure) digest(old string) string {
	const mark = "00000000"
	if old == "" || strings.HasPrefix(old, mark) {
		return old
	}
	return mark + hex.EncodeToString(e.mac("digest" + old))[:max(0, min(len(old), 64)-len(mark))]
}

// name returns a text with the pseudonym in the place of the id.
func (e *erasure) name(text string, own bool) string {
	if text == string(e.id) {
		return string(e.pseudonym)
	}
	if !e.mentions(text, own) {
		return text
	}
	replaced := text
	// Twice: of two ids with one character between them the first match takes that character.
	for range 2 {
		replaced = e.whole.ReplaceAllString(replaced, "${1}"+string(e.pseudonym)+"${2}")
	}
	if strings.Contains(replaced, string(e.id)) || len(replaced) > longestName && len(replaced) > len(text) {
		return "erased-" + hex.EncodeToString(e.mac("name" + text))[:32]
	}
	return replaced
}

// mentions reports whether a text names the customer. An id that is short is one only where it is
// known to be: in paths, and in rows that are about the customer.
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

// free returns what people wrote, blanked where it is about the customer or names them.
func (e *erasure) free(text string, own bool) string {
	if text != "" && (own || e.mentions(text, false)) {
		return erased
	}
	return text
}

// written are the members of JSON that people write freely.
var written = map[string]bool{
	"reason": true, "note": true, "comment": true, "text": true, "title": true, "body": true, "resolution": true,
	"trackingNo": true, "cancelReason": true, "statusReason": true, "voidReason": true, "remark": true, "actorName": true,
}

// data returns a document in which nothing names the customer, in the order and spelling that it
// had.
func (e *erasure) data(text string, own bool) string {
	var before bytes.Buffer
	changed, err := e.document(json.RawMessage(text), "", own)
	if err != nil || json.Compact(&before, []byte(text)) != nil {
		// It is no JSON, so nobody reads its members.
		return e.free(text, own)
	}
	if before.String() == string(changed) {
		return text
	}
	return string(changed)
}

// naming are the members in which a number is the id of a customer.
var naming = regexp.MustCompile(`(?i)(user|customer)(_?id)?$`)

// shops is data for a document of the shop's.
func (e *erasure) shops(text string) string {
	its := *e
	its.numbers = true
	return its.data(text, false)
}

// document treats a value, which is that of a member.
func (e *erasure) document(raw json.RawMessage, member string, own bool) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return raw, nil
	}
	switch raw[0] {
	case '{':
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

// member returns what the text of a member becomes.
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
