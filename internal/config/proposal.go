package config

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

// proposedChange is a change of one config as an approval holds it.
type proposedChange struct {
	Key string `json:"key"`
	Op  Op     `json:"op"`
	// ETag is the version that it is based on; "" for a create.
	ETag string `json:"etag,omitempty"`
	// Patch is the merge patch of an update, and the content of a create or replacement. Where it
	// has the value of a secret config, that is null and Sealed has it, encrypted with the key
	// SealedWith.
	Patch      json.RawMessage `json:"patch,omitempty"`
	Sealed     []byte          `json:"sealed,omitempty"`
	SealedWith string          `json:"sealedWith,omitempty"`
	// Masked is set where a reader is shown the null.
	Masked bool `json:"masked,omitempty"`
	origin
}

// withPatch returns the change with a patch, its value sealed when that is of a secret config.
func (c proposedChange) withPatch(w plannedWrite, patch any) (proposedChange, error) {
	var err error
	if value, has := valueIn(patch); has && (w.after.isConfidential() || w.before != nil && w.before.isConfidential()) {
		text, err := merge.Encode(value)
		if err != nil {
			return c, err
		}
		v := w.after.vault
		c.Sealed, c.SealedWith = v.cipher.Encrypt(text, proposalPlace(w.after.TenantID, w.Key))
		if c.SealedWith == "" {
			return c, apperr.New(apperr.Unavailable, "The change cannot wait: this installation has no key that encrypts the secret value in it.").After(time.Minute)
		}
		patch = withMember(patch, "value", nil)
	}
	c.Patch, err = merge.Encode(patch)
	return c, err
}

// opened returns the change with the value that is sealed in it. Errors: Unavailable when that
// cannot be decrypted: what waits for its time waits on until the key is back.
func (c proposedChange) opened(v *vault, tenant int64) (proposedChange, error) {
	if c.SealedWith == "" {
		return c, nil
	}
	text, err := v.cipher.Decrypt(c.Sealed, c.SealedWith, proposalPlace(tenant, c.Key))
	if err != nil {
		return c, apperr.New(apperr.Unavailable, "The secret value that is proposed for config %q cannot be read with its encryption key %q: bring that key back (INTERLOCK_ENCRYPTION_KEYS), or withdraw this and propose it anew.", c.Key, c.SealedWith).After(time.Minute).Because(err)
	}
	patch, err := merge.Parse(c.Patch)
	if err != nil {
		return c, err
	}
	value, err := merge.Parse(text)
	if err != nil {
		return c, err
	}
	c.Sealed, c.SealedWith = nil, ""
	c.Patch, err = merge.Encode(withMember(patch, "value", value))
	return c, err
}

// proposalPlace binds a sealed value to proposals for its config.
func proposalPlace(tenant int64, key string) string { return "proposed\x00" + placeOf(tenant, key) }

func valueIn(patch any) (value any, has bool) {
	object, _ := merge.ObjectOf(patch)
	return object.Get("value")
}

// withMember returns an object with another value of one of its members.
func withMember(tree any, name string, value any) any {
	object, _ := merge.ObjectOf(tree)
	var members []merge.Member
	for n, v := range object.All() {
		if n == name {
			v = value
		}
		members = append(members, merge.Member{Name: n, Value: v})
	}
	return merge.NewObject(members...)
}

func encodeChanges(changes []proposedChange) ([]byte, error) {
	text, err := strictjson.Encode(changes)
	if err != nil {
		return nil, fmt.Errorf("encode what is proposed: %w", err)
	}
	return text, nil
}

func encodeContent(c Content) (json.RawMessage, error) {
	text, err := strictjson.Encode(textOf(c))
	if err != nil {
		return nil, fmt.Errorf("encode the content that is proposed: %w", err)
	}
	return text, nil
}

// decodeChanges reads what encodeChanges wrote.
func (s subject) decodeChanges(ctx context.Context, p approvals.Proposal) ([]Change, error) {
	caller, _ := principal.From(ctx)
	var proposed []proposedChange
	if err := json.Unmarshal(p.Content, &proposed); err != nil {
		return nil, fmt.Errorf("read what is proposed: %w", err)
	}
	changes := make([]Change, len(proposed))
	for i, c := range proposed {
		changes[i] = Change{Index: i, Key: c.Key, Op: c.Op, origin: c.origin}
		c, err := c.opened(s.vault, caller.TenantID)
		if err != nil {
			return nil, err
		}
		if c.Op != OpCreate {
			if changes[i].IfMatch, err = guard.ParsePrecondition(c.ETag); err != nil {
				return nil, err
			}
		}
		switch c.Op {
		case OpUpdate:
			changes[i].Patch, err = readPatch(c.Patch, "")
		case OpCreate, OpReplace:
			changes[i].Content, err = readContent(c.Patch, "")
		}
		if err != nil {
			return nil, fmt.Errorf("read what is proposed: %w", err)
		}
	}
	return changes, nil
}

// shownChange is a proposed change as a reader is shown it: the value that is sealed in it stands
// there for who may read it, and a null for everybody else. So it is with a value that was proposed
// in clear when its config is hidden: it became secret since.
func (s subject) shownChange(ctx context.Context, c proposedChange, hidden bool) (proposedChange, error) {
	if c.SealedWith == "" && !hidden {
		return c, nil
	}
	if httpapi.MayReveal(ctx, SecretsPermission) {
		caller, _ := principal.From(ctx)
		if open, err := c.opened(s.vault, caller.TenantID); err == nil {
			return open, nil
		}
	}
	if c.SealedWith == "" {
		patch, err := merge.Parse(c.Patch)
		if err != nil {
			return c, err
		}
		if c.Patch, err = merge.Encode(withMember(patch, "value", nil)); err != nil {
			return c, err
		}
		c.Destroyed = masked(c.Destroyed)
	}
	c.Sealed, c.SealedWith, c.Masked = nil, "", true
	return c, nil
}

// basesInClear returns the versions that changes are based on which have a value in clear, by key.
func basesInClear(changes []proposedChange) map[string]guard.Ref {
	bases := map[string]guard.Ref{}
	for _, c := range changes {
		if c.hasValueInClear() {
			// What is created is based on none.
			base, _ := guard.ParsePrecondition(c.ETag)
			bases[c.Key] = base.Ref
		}
	}
	return bases
}

// hasValueInClear reports whether a change has a value that is not encrypted.
func (c proposedChange) hasValueInClear() bool {
	if c.SealedWith != "" {
		return false
	}
	if _, destroys := c.Destroyed["value"]; destroys {
		return true
	}
	patch, err := merge.Parse(c.Patch)
	if err != nil {
		return false
	}
	_, has := valueIn(patch)
	return has
}

// proposedView is a content that is proposed, as a reader is shown it. hidden is set for a value
// that is withheld though the content is not secret.
func proposedView(ctx context.Context, c *Config, hidden bool) any {
	view := struct {
		newContent
		Masked bool `json:"masked,omitempty"`
	}{newContent: textOf(c.Content)}
	view.Value, view.Masked = shownValue(ctx, c.Value, hidden || c.isConfidential())
	return view
}
