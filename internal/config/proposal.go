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

// proposedChange is a change of one config in the format of an approval.
type proposedChange struct {
	Key string `json:"key"`
	Op  Op     `json:"op"`
	// ETag is the base version; "" for a create.
	ETag string `json:"etag,omitempty"`
	// Patch is the merge patch of an update, or the content of a create or replacement. The value
	// of a secret config is null in it and encrypted in Sealed, with the key SealedWith.
	Patch      json.RawMessage `json:"patch,omitempty"`
	Sealed     []byte          `json:"sealed,omitempty"`
	SealedWith string          `json:"sealedWith,omitempty"`
	// Masked is set in a response that withholds the value.
	Masked bool `json:"masked,omitempty"`
	// Claim is the manager that the change acts for; nil for a user without a take-over.
	Claim *claim `json:"claim,omitempty"`
	origin
}

// withPatch returns the change with a patch; the value of a secret config is encrypted.
func (c proposedChange) withPatch(w plannedWrite, patch any) (proposedChange, error) {
	var err error
	if value, has := valueIn(patch); has && (w.after.isConfidential() || w.before != nil && w.before.isConfidential()) {
		text, err := merge.Encode(value)
		if err != nil {
			return c, err
		}
		v := w.after.vault
		c.Sealed, c.SealedWith = v.cipher.Encrypt(text, proposalContext(w.after.TenantID, w.Key))
		if c.SealedWith == "" {
			return c, apperr.New(apperr.Unavailable, "The change cannot be proposed: this installation has no encryption key (INTERLOCK_ENCRYPTION_KEYS) for its secret value.").After(time.Minute)
		}
		patch = withMember(patch, "value", nil)
	}
	c.Patch, err = merge.Encode(patch)
	return c, err
}

// opened returns the change with its value decrypted. Errors: Unavailable if it cannot be
// decrypted; a scheduled change is retried until the key is configured again.
func (c proposedChange) opened(v *vault, tenant int64) (proposedChange, error) {
	if c.SealedWith == "" {
		return c, nil
	}
	text, err := v.cipher.Decrypt(c.Sealed, c.SealedWith, proposalContext(tenant, c.Key))
	if err != nil {
		return c, apperr.New(apperr.Unavailable, "The proposed secret value of config %q cannot be decrypted with its key %q: configure that key again (INTERLOCK_ENCRYPTION_KEYS), or withdraw the approval and propose the change again.", c.Key, c.SealedWith).After(time.Minute).Because(err)
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

// proposalContext is the associated data that binds an encrypted proposed value to its config.
func proposalContext(tenant int64, key string) string {
	return "proposed\x00" + valueContext(tenant, key)
}

func valueIn(patch any) (value any, has bool) {
	object, _ := merge.ObjectOf(patch)
	return object.Get("value")
}

// withMember returns an object with one member replaced.
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
		return nil, fmt.Errorf("encode the proposed changes: %w", err)
	}
	return text, nil
}

func encodeContent(c Content) (json.RawMessage, error) {
	text, err := strictjson.Encode(textOf(c))
	if err != nil {
		return nil, fmt.Errorf("encode the proposed content: %w", err)
	}
	return text, nil
}

// decodeChanges decodes the content of a proposal, which encodeChanges has encoded.
func (s subject) decodeChanges(ctx context.Context, p approvals.Proposal) ([]Change, error) {
	caller, _ := principal.From(ctx)
	var proposed []proposedChange
	if err := json.Unmarshal(p.Content, &proposed); err != nil {
		return nil, fmt.Errorf("decode the proposed changes: %w", err)
	}
	changes := make([]Change, len(proposed))
	for i, c := range proposed {
		changes[i] = Change{Index: i, Key: c.Key, Op: c.Op, Claim: c.Claim, origin: c.origin}
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
			return nil, fmt.Errorf("decode the proposed changes: %w", err)
		}
	}
	return changes, nil
}

// shownChange returns a proposed change for the context's caller: with the decrypted value for
// callers who may read it, with null for others. hidden withholds a plain value too, because its
// config has become secret since.
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

// basesInClear returns, by key, the base versions of the changes with a plain value.
func basesInClear(changes []proposedChange) map[string]guard.Ref {
	bases := map[string]guard.Ref{}
	for _, c := range changes {
		if c.hasValueInClear() {
			// A create has no base.
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

// proposedView returns a proposed content for the context's caller. hidden withholds a value
// although the content is not secret.
func proposedView(ctx context.Context, c *Config, hidden bool) any {
	view := struct {
		newContent
		Masked bool `json:"masked,omitempty"`
	}{newContent: textOf(c.Content)}
	view.Value, view.Masked = shownValue(ctx, c.Value, hidden || c.isConfidential())
	return view
}
