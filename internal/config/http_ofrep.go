package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/edge/httpapi"
)

// OFREP is the prefix of the OpenFeature Remote Evaluation Protocol, version 0.3
// (github.com/open-feature/protocol, service/openapi.yaml).
//
// A flag is a config that is not secret. Secret configs are excluded for every caller, because
// OpenFeature clients record values in logs and traces. An evaluation is a read, so it ignores
// idempotency keys although it is a POST. Errors are problems with the additional members of the
// protocol.
const OFREP = "/ofrep/v1"

func evaluationRoutes(r *httpapi.Router, h handler) {
	r = r.At(OFREP)
	// A parameter at the end of a path matches slashes: some providers do not escape those of a key.
	httpapi.ActOf(r, http.MethodPost, "/evaluate/flags/:key", ReadPermission, h.flag, h.evaluate)
	httpapi.Act(r, http.MethodPost, "/evaluate/flags", ReadPermission, h.evaluateAll)
}

// evaluation is the value of a flag. Configs have no targeting rules, so the reason is always
// STATIC.
type evaluation struct {
	Key configKey `json:"key"`
	// Value is absent if it is null: the client then uses its default.
	Value  json.RawMessage `json:"value,omitzero"`
	Reason string          `json:"reason"`
	// Variant identifies the value in telemetry: it contains the version of the config.
	Variant  string             `json:"variant"`
	Metadata evaluationMetadata `json:"metadata"`
}

// evaluationMetadata contains only text, numbers and booleans, as the protocol requires.
type evaluationMetadata struct {
	Version int64  `json:"version"`
	ETag    string `json:"etag"`
}

func evaluationOf(c *Config) evaluation {
	e := evaluation{
		Key: configKey(c.Key), Reason: "STATIC", Variant: fmt.Sprintf("v%d", c.Version),
		Metadata: evaluationMetadata{Version: c.Version, ETag: c.Ref().ETag()},
	}
	if !strictjson.Same(c.Value, "null") {
		e.Value = json.RawMessage(c.Value)
	}
	return e
}

// flag reads the config of a path. Errors: NotFound, also for a secret config.
func (h handler) flag(ctx context.Context, path httpapi.Path) (*Config, error) {
	key := path.Text("key")
	c, err := h.service.Get(ctx, key)
	if err == nil && c.isConfidential() {
		err = apperr.New(apperr.NotFound, "Config %q is secret, and a secret config is no flag. Read it with GET %s/%s.", key, httpapi.Base, c.path())
	}
	return c, evaluationError(err, key)
}

type evaluateRequest struct{ Body []byte }

func (h handler) evaluate(_ context.Context, c *Config, in evaluateRequest) (evaluation, error) {
	if err := checkContext(in.Body); err != nil {
		return evaluation{}, evaluationError(err, c.Key)
	}
	return evaluationOf(c), nil
}

type evaluateAllRequest struct {
	Body []byte
	// Prefix of the key.
	Prefix      string `query:"prefix"`
	IfNoneMatch string `header:"If-None-Match"`
	// ChangeETag and ChangeTime repeat the notification that caused the request. They have no effect:
	// every reply contains all committed changes.
	ChangeETag string `query:"flagConfigEtag"`
	ChangeTime string `query:"flagConfigLastModified"`
}

// evaluations are the values of all flags at one moment.
type evaluations struct {
	Flags    []evaluation        `json:"flags"`
	Metadata evaluationsMetadata `json:"metadata"`
}

type evaluationsMetadata struct {
	Revision Revision `json:"revision"`
}

// evaluateAll reads the configs only if the revision of the feed differs from that of the client's
// entity tag.
func (h handler) evaluateAll(ctx context.Context, in evaluateAllRequest) (reply httpapi.Evaluated[evaluations], err error) {
	if err = checkContext(in.Body); err != nil {
		return reply, evaluationError(err, "")
	}
	now, err := h.service.Revision(ctx)
	if err != nil {
		return reply, err
	}
	if reply.Tag = evaluationsTag(ctx, now); httpapi.MatchesTag(in.IfNoneMatch, reply.Tag) {
		return reply, nil
	}
	snapshot, err := h.service.Snapshot(ctx, in.Prefix)
	if err != nil {
		return reply, evaluationError(err, "")
	}
	reply.Tag = evaluationsTag(ctx, snapshot.Revision)
	reply.Body = &evaluations{Flags: []evaluation{}, Metadata: evaluationsMetadata{snapshot.Revision}}
	for i := range snapshot.Configs {
		if c := &snapshot.Configs[i]; !c.isConfidential() {
			reply.Body.Flags = append(reply.Body.Flags, evaluationOf(c))
		}
	}
	return reply, nil
}

// evaluationsTag returns the entity tag of all flags. It contains the tenant, because a revision is
// common to all tenants and a client can change its token.
func evaluationsTag(ctx context.Context, at Revision) string {
	caller, _ := principal.From(ctx)
	return fmt.Sprintf(`"%st%d"`, at, caller.TenantID)
}

// checkContext validates the body of an evaluation. Its context has no effect on a config; a body
// without one is accepted. Errors: MalformedRequest.
func checkContext(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	var request struct {
		Context *map[string]json.RawMessage `json:"context"`
	}
	if err := strictjson.Decode(body, &request); err != nil {
		return httpapi.Unreadable(err)
	}
	if request.Context == nil {
		return nil
	}
	if target := string((*request.Context)["targetingKey"]); target != "" && target != "null" && target[0] != '"' {
		return apperr.Malformed("/context/targetingKey", "must be a string")
	}
	return nil
}

// evaluationError adds the members of the protocol to an error. key is the requested key, or "" for
// all flags. An error without a code in the protocol is returned unchanged.
func evaluationError(err error, key string) error {
	var e *apperr.Error
	if !errors.As(err, &e) {
		return err
	}
	code := "PARSE_ERROR"
	switch {
	case e.Code == apperr.NotFound:
		code = "FLAG_NOT_FOUND"
	case e.Code == apperr.LimitReached:
		code = "GENERAL"
	case e.Code != apperr.MalformedRequest:
		return err
	case len(e.Fields) > 0 && strings.HasPrefix(e.Fields[0].Pointer+"/", "/context/"):
		code = "INVALID_CONTEXT"
	}
	if key != "" {
		e = e.With("key", clip.Text(key, maxKey))
	}
	return e.With("errorCode", code).With("errorDetails", e.Detail)
}
