package access

import (
	"context"
	"errors"
	"time"

	"interlock/internal/base/batcher"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

const (
	// mostTogether bounds how many credentials are looked up, and uses written, by one statement.
	mostTogether = 250
	// lookUpTimeout bounds one look at the database on behalf of all that wait for it.
	lookUpTimeout = 5 * time.Second
)

// credential is what somebody shows, and how its rows are found.
type credential struct {
	// kind is Admin for a session and Token for an API token. Internal is for who has no row here, a
	// customer: then only the tenant is looked up.
	kind principal.Kind
	// hash is the digest of the secret. A tenant has the digest of a text that no secret can be.
	hash digest
	// tenantID is for Internal only; the rows of the others say theirs.
	tenantID int64
}

// refusal is the error of a credential that opens nothing.
func (c credential) refusal() error {
	if c.kind == principal.Admin {
		return errNoSession()
	}
	return errWrongCredentials()
}

// recognition is whom a credential stands for, or why that cannot be told of this one.
type recognition struct {
	caller *caller
	err    error
}

type lookUps = batcher.Batcher[credential, recognition]

// recognise returns whom a credential stands for. Errors: the credential's refusal.
func (s *Service) recognise(ctx context.Context, shown credential) (*caller, error) {
	if c := s.callers.get(shown.hash, s.clock.Now()); c != nil {
		return c, nil
	}
	return s.lookUp(ctx, shown)
}

// lookUp asks the database whom a credential stands for: at once when no other look-up is under
// way, and else together with all that came meanwhile.
func (s *Service) lookUp(ctx context.Context, shown credential) (*caller, error) {
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

// lookUpAll is the batcher's flush: it answers from memory what was looked up meanwhile, and asks
// the database for the others; see callersShowing for how many statements that takes.
func (s *Service) lookUpAll(ctx context.Context, shown []credential) ([]recognition, error) {
	// What is read from here on goes into the generation of now: when somebody is shut out
	// meanwhile, nobody reads it.
	g, now := s.callers.current.Load(), s.clock.Now()
	answers, unknown := make([]recognition, len(shown)), make(map[digest]credential)
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

// read asks the database whom credentials stand for, and remembers it in a generation that was the
// current one before. Every credential has an answer.
func (s *Service) read(ctx context.Context, g *generation, shown map[digest]credential) (map[digest]recognition, error) {
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
		answers[hash] = recognition{err: orElse(found.err, c.refusal())}
	}
	return answers, nil
}
