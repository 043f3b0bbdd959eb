package httpapi

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
)

var refusalExample = regexp.MustCompile(`(?m)^ +title: (.+)\n +status: (\d+)\n +code: (\w+)$`)

func TestProblemExamplesHaveTheTitlesOfTheirCodes(t *testing.T) {
	text, err := os.ReadFile("../../../api/openapi.yaml")
	require.NoError(t, err)
	examples := refusalExample.FindAllSubmatch(text, -1)
	require.Greater(t, len(examples), len(kinds)/2)
	for _, example := range examples {
		code := apperr.Code(example[3])
		require.Equal(t, kinds[code].title, strings.Trim(string(example[1]), `'"`), code)
	}
}
