package orders

import (
	"fmt"
	"io"
	"time"

	"interlock/internal/base/crockford"
)

// randomBytes is the length of a number's random part: 48 bits, so that an order's number cannot be
// derived by counting or guessing.
const randomBytes = 6

// orderNumber returns a number such as 20261121-7KQ2M9XZTV: the day and a random part. The unique
// key ensures uniqueness.
func orderNumber(at time.Time, random io.Reader) (string, error) {
	var raw [randomBytes]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return "", fmt.Errorf("draw an order number: %w", err)
	}
	return at.Format("20060102") + "-" + crockford.Encoding.EncodeToString(raw[:]), nil
}
