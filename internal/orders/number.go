package orders

import (
	"fmt"
	"io"
	"time"

	"interlock/internal/base/crockford"
)

// randomBytes of a number are 48 bits: nobody meets another order's number of the day
// by counting or guessing.
const randomBytes = 6

// orderNumber returns a number such as 20261121-7KQ2M9XZTV: the day, for people,
// and a random part. Uniqueness is the unique key's.
func orderNumber(at time.Time, random io.Reader) (string, error) {
	var raw [randomBytes]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("draw an order number: %w", err)
	}
	return at.Format("20060102") + "-" + crockford.Encoding.EncodeToString(raw[:]), nil
}
