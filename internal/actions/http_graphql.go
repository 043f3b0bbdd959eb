package actions

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/graph-gophers/graphql-go"
	gqlerrors "github.com/graph-gophers/graphql-go/errors"

	"interlock/internal/base/apperr"
	"interlock/internal/edge/httpapi"
)

// graphHandler serves POST /graphql. A missing permission is an error of the field, as usual in
// GraphQL, so the route itself requires none.
type graphHandler struct{ schema *graphql.Schema }

type graphRequest struct {
	Body struct {
		Query         string          `json:"query" validate:"required,max=8192"`
		OperationName *string         `json:"operationName"`
		Variables     json.RawMessage `json:"variables"`
		Extensions    json.RawMessage `json:"extensions"`
	}
}

// graphReply is a response in the format of GraphQL: without data if the document was not executed.
type graphReply struct {
	Errors []*gqlerrors.QueryError `json:"errors,omitempty"`
	Data   *json.RawMessage        `json:"data,omitempty"`
}

func (h graphHandler) execute(ctx context.Context, d *httpapi.Document, in graphRequest) (graphReply, error) {
	variables, err := in.variables()
	if err != nil {
		return graphReply{}, err
	}
	operation := ""
	if in.Body.OperationName != nil {
		operation = *in.Body.OperationName
	}
	response := h.schema.Exec(withMutations(ctx, d), in.Body.Query, operation, variables)
	if ctx.Err() != nil {
		return graphReply{}, apperr.New(apperr.OutcomeUnknown, "The document was interrupted; its earlier mutations were committed. Send it again under its idempotency key.").
			After(time.Second).Because(context.Cause(ctx))
	}
	if len(response.Errors) == 0 && string(response.Data) == "{}" {
		// For a caller that may not read the schema, the library omits it without an error.
		response.Errors = []*gqlerrors.QueryError{{Message: "Sign in, or send an API token, to read the schema.", Extensions: map[string]any{"code": "USER_NOT_AUTHENTICATED"}}}
	}
	reply := graphReply{Errors: response.Errors}
	for _, e := range reply.Errors {
		if e.Extensions == nil {
			e.Extensions = map[string]any{"code": "GRAPHQL_VALIDATION_FAILED"}
		}
	}
	if wasExecuted(response) {
		reply.Data = &response.Data
	}
	return reply, nil
}

// wasExecuted reports whether a field was executed. Each executed field is in the data, at least as
// null; if the library stops before the first field, the data is empty, null or an object without
// fields.
func wasExecuted(response *graphql.Response) bool {
	switch string(response.Data) {
	case "", "null", "{}":
		return len(response.Errors) == 0
	}
	return true
}

// variables decodes the variables with numbers as in the request: a 64-bit id does not fit into a
// float.
func (r graphRequest) variables() (map[string]any, error) {
	if len(r.Body.Variables) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Body.Variables))
	decoder.UseNumber()
	var variables map[string]any
	if err := decoder.Decode(&variables); err != nil {
		return nil, apperr.Malformed("/variables", "must be an object")
	}
	return variables, nil
}
