package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"time"
)

// customers generates customers of the shop, on demand and once each. It is not safe for
// concurrent use.
type customers struct {
	secret string
	last   int64   // id of the newest one
	pace   float64 // maximum number per second so far
}

// firstPace is the number of customers per second for which tokens are prepared at first.
const firstPace = 100_000

// sign returns a token for a new customer (JWT, RFC 7519, HS256).
func (c *customers) sign() string {
	c.last++
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
		encode(fmt.Appendf(nil, `{"sub":"user-%d","tenant":"default","name":"Customer %d","exp":%d}`, c.last, c.last, time.Now().Add(time.Hour).Unix()))
	mac := hmac.New(sha256.New, []byte(c.secret))
	mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil))
}

// write writes one token per line, more than a period will use.
func (c *customers) write(path string, period time.Duration) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	for range int(max(firstPace, 2*c.pace) * (period.Seconds() + 1)) {
		// The writer stores its first error for Flush.
		_, _ = out.WriteString(c.sign() + "\n")
	}
	return errors.Join(out.Flush(), file.Close())
}

func (c *customers) came(n int64, took time.Duration) {
	c.pace = max(c.pace, float64(n)/took.Seconds())
}
