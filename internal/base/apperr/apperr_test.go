package apperr_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
)

func TestSentencesStartWithACapital(t *testing.T) {
	require.Equal(t, `Order "a" is gone.`, apperr.New(apperr.NotFound, "order %q is gone.", "a").Detail)
	require.Equal(t, "/value is gone.", apperr.New(apperr.NotFound, "/value is gone.").Detail)
	require.Equal(t, "Élan", apperr.New(apperr.NotFound, "élan").Detail)
	require.Empty(t, apperr.New(apperr.NotFound, "").Detail)
}

func TestCauseIsLoggedAndMatchedByErrorsIs(t *testing.T) {
	cause := errors.New("dial tcp: refused")
	err := fmt.Errorf("list: %w", apperr.New(apperr.Unavailable, "Not now.").Because(cause))
	require.ErrorIs(t, err, cause)
	require.True(t, apperr.Has(err, apperr.Unavailable))
	require.False(t, apperr.Has(cause, apperr.Unavailable))
	require.Contains(t, err.Error(), "refused")
}

func TestEchoedClientTextIsBounded(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	require.Less(t, len(apperr.MissingRow("config", long).Detail), 400)
	require.Less(t, len(apperr.Malformed("/"+long, "is wrong").Detail), 400)
}

func TestOneBrokenRuleIsTheSentence(t *testing.T) {
	one := apperr.Invalid(apperr.Field{Pointer: "/name", Code: "required", Message: "is required"})
	require.Equal(t, "/name is required.", one.Detail)
	two := apperr.Invalid(one.Fields[0], apperr.Field{Pointer: "/price", Code: "min", Message: "must be at least 0"})
	require.Len(t, two.Fields, 2)
	require.Contains(t, two.Detail, "nothing was changed")
}
