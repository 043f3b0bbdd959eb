package tablefile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"

	"interlock/internal/base/tablefile"
)

// fileOf returns a table with these names in an encoding.
func fileOf(t *testing.T, encoding tablefile.Encoding, names ...string) string {
	t.Helper()
	codec, err := htmlindex.Get(string(encoding))
	require.NoError(t, err)
	content, err := codec.NewEncoder().String("SKU;Name\r\nA;" + strings.Join(names, "\r\nA;") + "\r\n")
	require.NoError(t, err)
	return content
}

// A file that Excel saved as "CSV" in the code page of its country.
//
// Proves G6.6.
func TestEachLanguageIsDetected(t *testing.T) {
	for name, c := range map[string]struct {
		encoding tablefile.Encoding
		names    []string
	}{
		"German":                    {"windows-1252", []string{"Müllers Kräutertee", "GRÜNER TEE", "Größe L", "Café", "12 € je Stück"}},
		"French":                    {"windows-1252", []string{"Thé à la menthe", "Crème brûlée", "Œufs frais", "cœur d’agneau", "Noël"}},
		"Spanish":                   {"windows-1252", []string{"Té de piña", "azúcar", "Árbol", "jengibre"}},
		"Portuguese":                {"windows-1252", []string{"Limões", "maçã", "pão", "açúcar", "três irmãs"}},
		"Italian":                   {"windows-1252", []string{"Tè nero", "caffè", "qualità più alta", "così"}},
		"Dutch":                     {"windows-1252", []string{"Één café", "ideeën", "coördinatie"}},
		"Danish":                    {"windows-1252", []string{"Blåbær", "rødgrød", "Øl", "kål"}},
		"Swedish":                   {"windows-1252", []string{"Köttbullar", "Äppelpaj", "Öl", "blåbär"}},
		"Icelandic":                 {"windows-1252", []string{"Þorskur", "kæst skata", "það besta", "rjómi", "ýsa"}},
		"Faroese":                   {"windows-1252", []string{"Føroyskt øl", "nýggj bók", "blátt"}},
		"several Western languages": {"windows-1252", []string{"Müller", "Hélène", "José Ñandú", "Søren", "Zoë", "São João", "Åsa", "Françoise"}},
		"Polish":                    {"windows-1250", []string{"Herbata żółta", "Świeża mięta", "ŁÓDŹ"}},
		"Czech without š, ž, ý, ť":  {"windows-1250", []string{"Černá káva", "Kuřecí pečeně", "hrneček"}},
		"Slovak":                    {"windows-1250", []string{"Čaj", "hrnček", "mäso", "ľan", "vôňa"}},
		"Hungarian":                 {"windows-1250", []string{"Tűzőgép", "hűtőszekrény", "Bögre kék", "Levendulás szappan"}},
		"Hungarian with ő only":     {"windows-1250", []string{"édes őszi só", "tányér"}},
		"Romanian with ă only":      {"windows-1250", []string{"Cafea măcinată", "ceai"}},
		"Romanian":                  {"windows-1250", []string{"lumânări", "pâine", "ceaşcă şi farfurie"}},
		"Croatian":                  {"windows-1250", []string{"Čaj", "Kolač", "Kruška", "đumbir"}},
		"Turkish":                   {"windows-1254", []string{"Kırmızı kazak", "yeşil çay", "gömlek", "ağaç", "IŞIK"}},
		"Lithuanian":                {"windows-1257", []string{"Žalioji arbata", "puodelis mėlynas", "ąžuolas"}},
		"Latvian":                   {"windows-1257", []string{"Zaļā tēja", "krūze", "ķirsis"}},
		"Estonian":                  {"windows-1257", []string{"Õun", "šokolaad", "jäätis"}},
		"Russian":                   {"windows-1251", []string{"кофе молотый", "масло, молоко", "чай 1 кг", "Шкаф ДСП"}},
		"Ukrainian":                 {"windows-1251", []string{"Зелений чай «Їжак»", "кава"}},
		"Serbian":                   {"windows-1251", []string{"Чај љубичица", "ђумбир", "њива"}},
		"Bulgarian":                 {"windows-1251", []string{"Кафе", "съд", "зелен чай"}},
		"Greek":                     {"windows-1253", []string{"Κόκκινο τσάι", "καφές", "φλιτζάνι"}},
		"Greek in capitals":         {"windows-1253", []string{"ΚΑΦΕΣ ΕΛΛΗΝΙΚΟΣ", "ΤΣΑΙ ΠΡΑΣΙΝΟ", "ΜΕΛΙ", "ΕΛΑΙΟΛΑΔΟ"}},
		"Hebrew":                    {"windows-1255", []string{"קפה שחור", "ספל גדול", "תה ירוק", "שוקולד חלב", "לחם אחיד"}},
		"Arabic":                    {"windows-1256", []string{"شاي أخضر", "كوب", "قهوة"}},
		"Thai":                      {"windows-874", []string{"กาแฟ", "ชาเขียว", "น้ำตาล", "แก้ว"}},
		"Korean with a unit":        {"euc-kr", []string{"제주 녹차 500㎖ 선물 세트", "유기농 잎차 ㎏", "① 도자기 찻잔"}},
		"Korean beyond KS X 1001":   {"euc-kr", []string{"똠양꿍 소스", "매콤한맛 선물 세트", "펲시"}},
		"Chinese":                   {"gb18030", []string{"绿茶", "红茶", "乌龙茶", "普洱茶"}},
		"Japanese of half width":    {"shift_jis", []string{"ｱﾙﾐ缶 緑茶", "ﾄﾞﾘｯﾌﾟ式 豆", "お茶"}},
	} {
		table := read(t, fileOf(t, c.encoding, c.names...), plain, tablefile.Options{})
		require.Equal(t, c.encoding, table.Encoding, name)
		names := make([]string, len(table.Rows))
		for i, row := range table.Rows {
			names[i] = row.Values["name"]
		}
		require.Equal(t, c.names, names, name)
	}
}

// The time to detect an encoding is linear in the length of a run of letters, also without a line break.
func TestLongLinesAreDetectedInLinearTime(t *testing.T) {
	for _, text := range []string{strings.Repeat("\xe4", 1<<18), strings.Repeat("\xe4", 1<<18) + "\r"} {
		require.NotEmpty(t, read(t, text, plain, tablefile.Options{}).Encodings)
	}
}

func TestLinesOfOldMacFilesAreDetectedSeparately(t *testing.T) {
	ascii := strings.Repeat("CUP;Cup\r", 1<<17)
	table := read(t, "SKU;Name\rTEA;M\xfcller\r"+ascii[:8*tablefile.MaxRows/2], plain, tablefile.Options{})
	require.Equal(t, "Müller", table.Rows[0].Values["name"])
}
