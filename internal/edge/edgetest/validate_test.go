package edgetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/edge/httpapi"
)

type period struct {
	From string `json:"from" validate:"required"`
}

type Named struct {
	period
	Title string `json:"title" validate:"required"`
}

func TestPointersSkipEmbeddedStructs(t *testing.T) {
	type line struct {
		Named
		SKU string `json:"sku" validate:"required"`
	}
	type request struct {
		Named
		Period period `json:"period"`
		Lines  []line `json:"lines" validate:"dive"`
	}
	err := httpapi.Validate(&request{Lines: make([]line, 1)})
	var problem *apperr.Error
	require.ErrorAs(t, err, &problem)
	var pointers []string
	for _, field := range problem.Fields {
		pointers = append(pointers, field.Pointer)
	}
	require.ElementsMatch(t, []string{"/from", "/title", "/period/from", "/lines/0/from", "/lines/0/title", "/lines/0/sku"}, pointers)
}
