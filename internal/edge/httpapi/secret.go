package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
)

// Secret is a text of a request or a reply that the service stores nowhere in clear. The service
// stores a reply under its idempotency key with {secretShownOnce: true} in place of the secrets. The
// fingerprint of a request contains a slow digest of each secret, so that a reader of the database
// cannot test guesses cheaply.
type Secret string

var withoutSecrets = strictjson.NewOmitter[Secret]("secretShownOnce")

// SecretDigester returns a digest of a secret that is as slow to compute as the hash of a
// password, and the same for the same salt. Errors: Unavailable.
type SecretDigester interface {
	DigestSecret(ctx context.Context, secret string, salt []byte) ([]byte, error)
}

// Proof is a secret of a request by which the caller proves its identity again, such as its
// password. The fingerprint of the request does not contain it. Otherwise a caller could test
// guesses against the fingerprint of a stored reply, and no limit would count these attempts.
type Proof string

// hiddenMembers are the members of a request body that its fingerprint does not contain in clear.
type hiddenMembers struct{ secrets, proofs []string }

func hiddenMembersOf(body reflect.Type) (hidden hiddenMembers) {
	if body.Kind() != reflect.Struct {
		return hidden
	}
	for i := range body.NumField() {
		f := body.Field(i)
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.Type {
		case reflect.TypeFor[Secret](), reflect.TypeFor[*Secret]():
			hidden.secrets = append(hidden.secrets, name)
		case reflect.TypeFor[Proof]():
			hidden.proofs = append(hidden.proofs, name)
		}
	}
	return hidden
}

// hideMembers returns a request body for the fingerprint of the request: with a digest in place of
// each secret, and without proofs. A body that is not an object stays unchanged: the route rejects
// it, and no reply is stored.
func (s *Server) hideMembers(ctx context.Context, key string, body []byte, hidden hiddenMembers) ([]byte, error) {
	var object map[string]json.RawMessage
	if len(hidden.secrets)+len(hidden.proofs) == 0 || json.Unmarshal(body, &object) != nil {
		return body, nil
	}
	for _, name := range hidden.proofs {
		delete(object, name)
	}
	caller, _ := principal.From(ctx)
	salt := []byte(strconv.FormatInt(caller.TenantID, 10) + "\x00" + caller.KeyScope() + "\x00" + key)
	for _, name := range hidden.secrets {
		var secret string
		if json.Unmarshal(object[name], &secret) != nil || secret == "" {
			continue
		}
		digest, err := s.secrets.DigestSecret(ctx, secret, salt)
		if err != nil {
			return nil, fmt.Errorf("digest the secret %s of a request: %w", name, err)
		}
		object[name] = json.RawMessage(strconv.Quote(base64.RawStdEncoding.EncodeToString(digest)))
	}
	return json.Marshal(object)
}
