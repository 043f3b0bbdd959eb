package flashsale

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"interlock/internal/base/crockford"
)

// A ticket is 128 bits and a mark of 32 bits that only this sale can make for this
// customer, in Crockford's base 32. By the mark a ticket that was given out can be told
// from an invented one when its store has lost it.
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

// newTicket returns a ticket of a customer. With a key, which is the request's
// idempotency key and who sent it, the same one each time.
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

// genuine reports whether the sale gave this ticket out, or would, to the customer.
func genuine(secret, user, ticket string) bool {
	raw, err := crockford.Encoding.DecodeString(ticket)
	if err != nil || len(raw) != ticketBytes+markBytes {
		return false
	}
	return hmac.Equal(raw[ticketBytes:], mark(secret, user, raw[:ticketBytes]))
}

// isTicket reports whether a text could be a ticket of some sale.
func isTicket(text string) bool {
	raw, err := crockford.Encoding.DecodeString(text)
	return err == nil && len(raw) == ticketBytes+markBytes
}

func mark(secret, user string, raw []byte) []byte {
	return mac(secret, user, "mark:"+string(raw))[:markBytes]
}

func mac(secret, user, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	// No user has a NUL in its name, so no two pairs are the same bytes.
	h.Write([]byte(user + "\x00" + text))
	return h.Sum(nil)
}
