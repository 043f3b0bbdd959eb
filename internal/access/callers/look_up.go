package callers

import (
	"cmp"
	"context"
	"errors"
	"time"

	"interlock/internal/access/secrets"
	"interlock/internal/base/batcher"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

const (
	// maxBatch bounds the credentials, or the uses, in one statement.
	maxBatch = 250
	// lookUpTimeout bounds one batch of lookups.
	lookUpTimeout = 5 * time.Second
)

// credential identifies the rows of a presented secret.
type credential struct {
	// kind is Admin for a session and Token for an API token. Internal is for a customer, who has
	// no row: only the customer's tenant is read.
	kind principal.Kind
	// hash is the digest of the secret. For a tenant it is the digest of a text that is not a
	// possible secret.
	hash secrets.Digest
	// tenantID is for Internal only; other rows contain their tenant.
	tenantID int64
}

// refusal returns the error for an invalid credential.
func (c credential) refusal() error {
	if c.kind == principal.Admin {
		return ErrNoSession()
	}
	return ErrWrongCredentials()
}

// recognition is the caller of a credential, or the error for this credential.
type recognition struct {
	caller *Caller
	err    error
}

type lookUps = batcher.Batcher[credential, recognition]

// recognise returns the caller of a credential. Errors: the credential's refusal.
func (s *Service) recognise(ctx context.Context, shown credential) (*Caller, error) {
	if c := s.callers.get(shown.hash, s.clock.Now()); c != nil {
		return c, nil
	}
	return s.lookUp(ctx, shown)
}

// lookUp reads the caller of a credential from the database. If no other lookup is in flight, it
// reads immediately; otherwise it reads after the current one, in one batch with all lookups that
// arrive until then.
func (s *Service) lookUp(ctx context.Context, shown credential) (*Caller, error) {
	among := s.callers.requests
	if httpapi.IsStream(ctx) {
		among = s.callers.streams
	}
	found, err := among.Do(ctx, shown)
	if errors.Is(err, batcher.ErrNotFlushed) && ctx.Err() == nil {
		found, err = among.Do(ctx, shown)
	}
	if err != nil {
		return nil, err
	}
	return found.caller, found.err
}

// lookUpAll is the batcher's flush. It returns the cached caller of a credential if one was cached
// since the lookup was requested, and reads the other callers from the database; see callersShowing
// for the number of statements.
func (s *Service) lookUpAll(ctx context.Context, shown []credential) ([]recognition, error) {
	// The result goes into the generation that is current before the read: if a concurrent
	// revocation replaces the generation, the result is never used.
	g, now := s.callers.current.Load(), s.clock.Now()
	answers, unknown := make([]recognition, len(shown)), make(map[secrets.Digest]credential)
	for i, c := range shown {
		if answers[i].caller = g.get(c.hash, now); answers[i].caller == nil {
			unknown[c.hash] = c
		}
	}
	read, err := s.read(ctx, g, unknown)
	if err != nil {
		return nil, err
	}
	for i, c := range shown {
		if answers[i].caller == nil {
			answers[i] = read[c.hash]
		}
	}
	return answers, nil
}

// read reads the callers of credentials and caches them in a generation that was current before the
// read. The result has an entry for each credential.
func (s *Service) read(ctx context.Context, g *generation, shown map[secrets.Digest]credential) (map[secrets.Digest]recognition, error) {
	if len(shown) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	now := s.clock.Now()
	answers, err := s.callersShowing(ctx, shown, now)
	if err != nil {
		return nil, err
	}
	for hash, c := range shown {
		found := answers[hash]
		if found.caller != nil {
			found.caller.shown, found.caller.readTime = c, now
			g.put(found.caller)
			continue
		}
		g.forget(hash)
		answers[hash] = recognition{err: cmp.Or(found.err, c.refusal())}
	}
	return answers, nil
}
