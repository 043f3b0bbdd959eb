package guessable

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestPasswordsThatAreTriedFirstAreKnownHoweverTheyAreDressed(t *testing.T) {
	for password, want := range map[string]Why{
		"administrator":                Common,
		"1qaz2wsx3edc":                 Common,
		"password1234":                 Common,
		"Password2026!":                Common,
		"P@ssw0rd12345":                Common,
		"4dministr4tor!":               Common,
		"!!!!monkey1999":               Common,
		"pass-word-2024":               Common,
		"Ｐａｓｓｗｏｒｄ１２３４":                 Common,
		"correct horse battery staple": Common,
		"iloveyou12345":                Common,

		"123456789012":               Pattern,
		"987654321098":               Pattern,
		"abcdefghijkl":               Pattern,
		"ABCDEFabcdef":               Pattern,
		"aaaaaaaaaaaa":               Pattern,
		"111222333444":               Pattern,
		"abcabcabcabcab":             Pattern,
		"Tr0ub4dor&3Tr0ub4dor&3":     Pattern,
		"qwertyuiop[]":               Common,
		"asdfghjklzxcvbnm":           Pattern,
		"密码密码密码密码密码密码":               Pattern,
		strings.Repeat("x", 1024):    Pattern,
		"abcdefghijklmnopqrstuvwxyz": Pattern,

		"li.wei@shop.example1": Named,
		"Weidong.Li-2026":      Named,
		"interlock-2026":       Named,
		"interlock-second":     Named,
		"weidongweidong":       Pattern,
		"weidong12345678":      Named,
	} {
		require.Equal(t, want, Check(password, "weidong.li", "li.wei@shop.example", "interlock"), password)
	}
}

func TestUncommonPasswordsAreAccepted(t *testing.T) {
	for _, password := range []string{
		"nine green bottles standing", "a long password", "correct horse battery", "gravel-ten-umbrella", "Tr0ub4dor&3x9",
		"vK8#qz1!Lw0p", "monkey-Zq81.xTn", "九个绿色的瓶子站在墙上吗", "an interlock of nine doors", "weidong likes rain a lot",
		"83920175648291", "correct-horse-ba.correct-horse-ba.", "9yA1oWmS0kG3x5uQ2bL7c4dN6eR8tV0wXzJhPqYiF1M",
	} {
		require.Empty(t, Check(password, "weidong.li", "interlock"), password)
	}
	require.Empty(t, Check(""), "which is too short to be asked about")
}

func TestLongCommonPasswordsAreRejected(t *testing.T) {
	words, err := readCommon()
	require.NoError(t, err)
	require.Greater(t, len(words), 49_000)
	long := 0
	for _, word := range words {
		require.GreaterOrEqual(t, utf8.RuneCountInString(word), leastWord)
		if utf8.RuneCountInString(word) >= 12 {
			long++
			require.NotEmpty(t, Check(word), word)
			require.NotEmpty(t, Check(strings.ToUpper(word)), word)
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
