package strictjson_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/strictjson"
)

func TestOneValueHasOneCanonicalText(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"members are sorted at every depth": {`{"b":{"d":1,"c":2},"a":[{"f":1,"e":2}]}`, `{"a":[{"e":2,"f":1}],"b":{"c":2,"d":1}}`},
		"spaces do not count":               {" [ 1 ,\n2 ] ", `[1,2]`},
		"escapes that need not be go":       {`"\u0041\/\n"`, `"A/\n"`},
		"no digit of a number is lost":      {`[9007199254740993,0.10000000000000000001]`, `[9007199254740993,10000000000000000001e-20]`},
		"numbers count by their value":      {`[1,1.0,100e-2,0.01E+2,-0,0e7,-1.50,12e999999999999999999999]`, `[1,1,1,1,0,0,-15e-1,12e999999999999999999999]`},
		"null is a value":                   {`null`, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			given := []byte(c.text)
			got, err := strictjson.Canonical(given)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
			require.Equal(t, c.text, string(given), "the input is unchanged")
		})
	}
}

func TestInvalidJSONHasNoCanonicalText(t *testing.T) {
	for _, text := range []string{``, `{`, `{"a":1,"a":2}`, `1 2`} {
		_, err := strictjson.Canonical([]byte(text))
		require.Error(t, err, text)
	}
}
