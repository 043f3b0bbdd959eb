package clip_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/clip"
)

func TestTextIsCutBetweenCharacters(t *testing.T) {
	for name, c := range map[string]struct {
		text      string
		maxLength int
		want      string
	}{
		"a fitting text is unchanged":          {"/items/茶", 10, "/items/茶"},
		"a character that does not fit goes":   {"/items/茶", 9, "/items/"},
		"whatever part of it would have fit":   {"/items/茶", 8, "/items/"},
		"a character that just fits stays":     {"/items/茶x", 10, "/items/茶"},
		"a character is not cut":               {"茶", 2, ""},
		"four bytes are one character as well": {strings.Repeat("🍵", 3), 11, "🍵🍵"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, clip.Bytes(c.text, c.maxLength)) })
	}
	rapid.Check(t, func(t *rapid.T) {
		text, maxLength := rapid.String().Draw(t, "text"), rapid.IntRange(0, 64).Draw(t, "longest")
		cut := clip.Bytes(text, maxLength)
		require.LessOrEqual(t, len(cut), maxLength)
		require.True(t, strings.HasPrefix(text, cut))
		require.True(t, utf8.ValidString(cut))
		require.True(t, len(text)-len(cut) == 0 || maxLength-len(cut) < utf8.UTFMax, "no more is cut than must be")
	})
}

func TestClippedTextEndsWithAnEllipsis(t *testing.T) {
	require.Equal(t, "茶杯茶", clip.Text("茶杯茶", 3), "characters are counted, not bytes")
	require.Equal(t, "茶杯茶…", clip.Text("茶杯茶杯", 3))
}
