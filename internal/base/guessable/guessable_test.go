package guessable

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestCommonPasswordsAndNamesAreRecognized(t *testing.T) {
	for _, password := range []string{
		"administrator", "1qaz2wsx3edc", "123456789012", "qwertyuiop[]", "password1234", "Password2026!", "!!!!monkey1999", "pass-word-2024", "Ｐａｓｓｗｏｒｄ１２３４", "iloveyou12345",
		"li.wei@shop.example1", "Weidong.Li-2026", "interlock-2026", "li-1234567890",
	} {
		require.True(t, Check(password, "weidong.li", "li.wei@shop.example", "interlock", "li"), password)
	}
}

func TestUncommonPasswordsAreAccepted(t *testing.T) {
	for _, password := range []string{
		"nine green bottles standing", "a long password", "correct horse battery", "gravel-ten-umbrella", "Tr0ub4dor&3x9",
		"vK8#qz1!Lw0p", "monkey-Zq81.xTn", "九个绿色的瓶子站在墙上吗", "an interlock of nine doors", "weidong likes rain a lot",
		"83920175648291", "correct-horse-ba.correct-horse-ba.", "9yA1oWmS0kG3x5uQ2bL7c4dN6eR8tV0wXzJhPqYiF1M",
	} {
		require.False(t, Check(password, "weidong.li", "interlock", ""), password)
	}
	require.False(t, Check("", ""))
}

func TestLongCommonPasswordsAreRejected(t *testing.T) {
	words, err := readCommon()
	require.NoError(t, err)
	require.Greater(t, len(words), 49_000)
	long := 0
	for _, word := range words {
		require.GreaterOrEqual(t, utf8.RuneCountInString(word), minWord)
		if utf8.RuneCountInString(word) >= 12 {
			long++
			require.True(t, Check(word), word)
			require.True(t, Check(strings.ToUpper(word)), word)
		}
	}
	require.Greater(t, long, 300)
}

func FuzzCheckEndsAndDoesNotDependOnCaseOrWidth(f *testing.F) {
	for _, seed := range []string{"", "Password2026!", "\xff\xfe", "İstanbul", "ﬁﬁﬁﬁ", strings.Repeat("ab", 512)} {
		f.Add(seed, "li")
	}
	f.Fuzz(func(t *testing.T, password, name string) {
		require.Equal(t, Check(password, name), Check(fold(password), name))
	})
}
