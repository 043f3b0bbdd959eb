package actions

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/graph-gophers/graphql-go"
	"github.com/labstack/echo/v4"

	"interlock/internal/apperr"
	"interlock/internal/httpapi"
)

// graphHandler serves POST /graphql. Who is not permitted is told so by field, as
// GraphQL has it, so the route itself lets everybody in.
type graphHandler struct{ schema *graphql.Schema }

type graphRequest struct {
	Query         string          `json:"query" validate:"required,max=8192"`
	OperationName *string         `json:"operationName"`
	Variables     json.RawMessage `json:"variables"`
	Extensions    json.RawMessage `json:"extensions"`
}

func (h graphHandler) execute(c echo.Context) (httpapi.Reply, error) {
	var request graphRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	variables, err := request.variables()
	if err != nil {
		return httpapi.Reply{}, err
	}
	operation := ""
	if request.OperationName != nil {
		operation = *request.OperationName
	}
	response := h.schema.Exec(c.Request().Context(), request.Query, operation, variables)
	for _, e := range response.Errors {
		if e.Extensions == nil {
			e.Extensions = map[string]any{"code": "GRAPHQL_VALIDATION_FAILED"}
		}
	}
	return httpapi.Reply{Status: http.StatusOK, Body: response}, nil
}

// variables decodes them with numbers as they were spelled: an id of 64 bits does not
// survive a float.
func (r graphRequest) variables() (map[string]any, error) {
	if len(r.Variables) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Variables))
	decoder.UseNumber()
	var variables map[string]any
	if err := decoder.Decode(&variables); err != nil {
		return nil, apperr.Malformed("/variables", "must be an object")
	}
	return variables, nil
}
