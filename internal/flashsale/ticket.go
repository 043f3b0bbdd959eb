package flashsale

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"interlock/internal/base/crockford"
)

// A ticket consists of 128 bits and a 32-bit MAC that only this sale can compute for this
// customer, in Crockford's base 32. The MAC distinguishes an issued ticket from an invented
// one after the store has lost it.
const (
	ticketBytes = 16
	markBytes   = 4
	secretBytes = 32
)

func newSecret(random io.Reader) (string, error) {
	raw := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, raw); err != nil {
		return "", fmt.Errorf("draw a sale's secret: %w", err)
	}
	return hex.EncodeToString(raw), nil
}

// newTicket returns a ticket of a customer. With a key, which contains the request's
// idempotency key and its sender, the ticket is deterministic.
func newTicket(secret, user, key string, random io.Reader) (string, error) {
	raw := make([]byte, ticketBytes, ticketBytes+markBytes)
	if key == "" {
		if _, err := io.ReadFull(random, raw); err != nil {
			return "", fmt.Errorf("draw a ticket: %w", err)
		}
	} else {
		copy(raw, mac(secret, user, "key:"+key))
	}
	return crockford.Encoding.EncodeToString(append(raw, mark(secret, user, raw)...)), nil
}

// genuine reports whether the sale could have issued this ticket to the customer.
func genuine(secret, user, ticket string) bool {
	raw, err := crockford.Encoding.DecodeString(ticket)
	if err != nil || len(raw) != ticketBytes+markBytes {
		return false
	}
	return hmac.Equal(raw[ticketBytes:], mark(secret, user, raw[:ticketBytes]))
}

// isTicket reports whether a text has the form of a ticket.
func isTicket(text string) bool {
	raw, err := crockford.Encoding.DecodeString(text)
	return err == nil && len(raw) == ticketBytes+markBytes
}

func mark(secret, user string, raw []byte) []byte {
	return mac(secret, user, "mark:"+string(raw))[:markBytes]
}

func mac(secret, user, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	// User names contain no NUL, so distinct pairs have distinct bytes.
	h.Write([]byte(user + "\x00" + text))
	return h.Sum(nil)
}
