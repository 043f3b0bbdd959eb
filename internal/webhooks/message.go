package webhooks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"interlock/internal/base/epoch"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

const (
	// secretPrefix marks a secret, and secretSize is its number of random bytes (Standard Webhooks).
	secretPrefix = "whsec_"
	secretSize   = 32
)

// newSecret returns a random secret.
func newSecret() string {
	random := make([]byte, secretSize)
	_, _ = rand.Read(random) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(random)
}

// event is a change to deliver.
type event struct {
	uow.Change
	// position and index are the position of the entry in the log, and of the change in the entry.
	position int64
	index    int
	time     time.Time
}

// record identifies the record of the change. A change of several records has no key, and is in
// order with the other changes of its topic without a key.
func (e event) record() string { return e.Topic + "/" + e.Key }

// path returns the path of the record below the API's base; that of the list for several records.
func (e event) path() string {
	if e.Key == "" {
		return e.Topic
	}
	segments := strings.Split(e.Key, "/")
	if e.Topic != aggregates {
		segments = []string{e.Key}
	}
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	return e.Topic + "/" + strings.Join(segments, "/")
}

// aggregates is the topic of records with keys of two segments.
const aggregates = "aggregates"

// message is a message to a receiver.
type message struct {
	id   string
	body []byte
	event
}

// payload is the body of a message.
type payload struct {
	// Type is "<topic>.<action>".
	Type string `json:"type"`
	// Timestamp is the time of the change.
	Timestamp time.Time `json:"timestamp"`
	Data      data      `json:"data"`
}

type data struct {
	// ID is the key of the record; null if several records changed.
	ID *string `json:"id"`
	// Version and ETag are those after the change; null for several records, and the ETag for a deleted
	// record.
	Version *int64  `json:"version"`
	ETag    *string `json:"etag"`
	Link    string  `json:"link"`
	// Content is the record as it is now; absent if the message is thin.
	Content json.RawMessage `json:"content,omitempty"`
}

// messageOf returns the message about a change.
func messageOf(e event, history epoch.Epoch, content json.RawMessage) (message, error) {
	p := payload{Type: e.Topic + "." + e.Action, Timestamp: e.time, Data: data{
		ID: httpapi.OrNull(e.Key), ETag: httpapi.OrNull(e.ETag), Link: httpapi.Base + "/" + e.path(), Content: content,
	}}
	if e.Version != 0 {
		p.Data.Version = &e.Version
	}
	body, err := strictjson.Encode(p)
	if err != nil {
		return message{}, fmt.Errorf("encode a message: %w", err)
	}
	return message{id: fmt.Sprintf("msg_%s_%d_%d", history, e.position, e.index), body: body, event: e}, nil
}

// sign returns the signatures of a message, one for each secret: "v1,<base64>".
func sign(secrets []string, id string, at time.Time, body []byte) (string, error) {
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return "", fmt.Errorf("read the secret: %w", err)
		}
		code := hmac.New(sha256.New, key)
		code.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		code.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(code.Sum(nil))
	}
	return strings.Join(signatures, " "), nil
}
