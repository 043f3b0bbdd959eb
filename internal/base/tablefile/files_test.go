package tablefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/tablefile"
	"interlock/internal/catalog"
	"interlock/internal/coupons"
	"interlock/internal/inventory"
	"interlock/internal/module"
)

var (
	items     = kindOf(catalog.Declaration, "items")
	stock     = kindOf(inventory.Declaration, "stock")
	customers = kindOf(coupons.Declaration, "customers")
)

func kindOf(d *module.Declaration, name string) tablefile.Kind {
	for _, i := range d.Imports {
		if i.Name == name {
			return i.Kind
		}
	}
	panic("no import " + name)
}

type values = map[string]string

// fileCase is a file as a shop or a spreadsheet writes it, and the values in it.
type fileCase struct {
	file     string
	kind     tablefile.Kind
	options  tablefile.Options
	encoding tablefile.Encoding
	// separator is 0 for a comma.
	separator rune
	decimal   tablefile.Decimal
	// rows are the values by the number of the first line.
	rows map[int]values
	// rejected are the reasons by the number of the line.
	rejected map[int]tablefile.Code
	// ignored are the headers of columns that are not read; nil if the test does not compare them.
	ignored []string
}

var fileCases = []fileCase{
	{
		file: "shopify-products.csv", kind: items, encoding: "utf-8", decimal: tablefile.Point,
		rows: map[int]values{
			2: {"sku": "EG-100", "name": "Earl Grey – loose leaf - 100 g", "price": "12.9", "status": "active"},
			4: {"sku": "EG-250", "name": "Earl Grey – loose leaf - 250 g", "price": "26", "status": "active"},
			6: {"sku": "CUP-1", "name": "Crème cup", "price": "8.5", "status": "archived"},
		},
		rejected: map[int]tablefile.Code{5: tablefile.NoValue},
	},
	{
		file: "shopify-products.csv", kind: stock, encoding: "utf-8",
		rows: map[int]values{2: {"sku": "EG-100", "setTo": "42"}, 4: {"sku": "EG-250", "setTo": "7"}, 6: {"sku": "CUP-1", "setTo": "0"}}, rejected: map[int]tablefile.Code{5: tablefile.NoValue},
	},
	{
		file: "shopify-products-2025.csv", kind: items, encoding: "utf-8", decimal: tablefile.Point,
		rows: map[int]values{
			2: {"sku": "LS-S-BLUE", "name": "Linen shirt - S / Blue", "price": "49", "status": "active"},
			3: {"sku": "LS-M-BLUE", "name": "Linen shirt - M / Blue", "price": "49", "status": "active"},
		},
		ignored: []string{"Description", "Vendor", "Barcode", "Option1 name", "Option2 name", "Compare-at price", "Inventory quantity"},
	},
	{
		file: "shopify-customers.csv", kind: customers, encoding: "utf-8",
		rows: map[int]values{2: {"userId": "7240953102613"}, 3: {"userId": "7240953102614"}},
	},
	{
		file: "woocommerce-products.csv", kind: items, encoding: "utf-8", decimal: tablefile.Point,
		rows: map[int]values{
			2: {"sku": "HOODIE", "name": "Hoodie", "status": "active"},
			3: {"sku": "HOODIE-BLUE", "name": "Hoodie - Blue", "price": "45", "status": "active"},
			4: {"sku": "BEANIE", "name": "Beanie", "price": "20.5", "status": "archived"},
		},
	},
	{
		file: "woocommerce-products-de.csv", kind: items, encoding: "utf-8", decimal: tablefile.Comma,
		rows: map[int]values{
			2: {"sku": "TEE-1", "name": "Grüner Tee", "price": "7.9", "status": "active"},
			3: {"sku": "TEE-2", "name": "Früchtetee", "price": "5.5", "status": "archived"},
		},
		ignored: []string{"ID", "Typ", "Bestand", "Angebotspreis", "Kategorien"},
	},
	{file: "woocommerce-customers.csv", kind: customers, encoding: "utf-8", rows: map[int]values{2: {"userId": "jose"}}},
	{
		file: "shopify-inventory.csv", kind: stock, encoding: "utf-8",
		rows: map[int]values{2: {"sku": "EG-100", "setTo": "40"}, 3: {"sku": "CUP-1", "setTo": "12"}},
	},
	{file: "stripe-customers.csv", kind: customers, encoding: "utf-8"},
	{
		file: "stripe-payments.csv", kind: customers, encoding: "utf-8",
		rows: map[int]values{2: {"userId": "cus_PaQ1"}}, rejected: map[int]tablefile.Code{3: tablefile.NoValue},
	},
	{
		file: "excel-german.csv", kind: items, encoding: "windows-1252", separator: ';', decimal: tablefile.Comma,
		rows: map[int]values{
			3: {"sku": "TEE-1", "name": "Müllers Kräutertee", "price": "1234.5"},
			4: {"sku": "TEE-2", "name": "Weiße Tasse „groß“", "price": "8.9"},
		},
		rejected: map[int]tablefile.Code{5: tablefile.NotANumber},
		ignored:  []string{"Bestand", "Bemerkung"},
	},
	{
		file: "excel-german.csv", kind: stock, encoding: "windows-1252", separator: ';',
		rows:     map[int]values{4: {"sku": "TEE-2", "setTo": "12"}, 5: {"sku": "TEE-3", "setTo": "3"}},
		rejected: map[int]tablefile.Code{3: tablefile.AmbiguousNumber},
	},
	{
		file: "excel-german.csv", kind: stock, options: tablefile.Options{Decimal: tablefile.Comma}, encoding: "windows-1252", separator: ';', decimal: tablefile.Comma,
		rows: map[int]values{3: {"sku": "TEE-1", "setTo": "1200"}, 4: {"sku": "TEE-2", "setTo": "12"}, 5: {"sku": "TEE-3", "setTo": "3"}},
	},
	{
		file: "excel-french.csv", kind: items, encoding: "windows-1252", separator: ';', decimal: tablefile.Comma,
		rows: map[int]values{
			2: {"sku": "THE-1", "name": "Thé à la menthe", "price": "12.5"},
			3: {"sku": "THE-2", "name": "Crème brûlée – œufs frais", "price": "1250"},
		},
	},
	{
		file: "excel-french.csv", kind: stock, encoding: "windows-1252", separator: ';',
		rows: map[int]values{2: {"sku": "THE-1", "setTo": "1200"}, 3: {"sku": "THE-2", "setTo": "3"}},
	},
	{
		file: "excel-french.csv", kind: stock, options: tablefile.Options{Columns: []string{"sku", "delta"}}, encoding: "windows-1252", separator: ';',
		rows: map[int]values{2: {"sku": "THE-1", "delta": "1200"}, 3: {"sku": "THE-2", "delta": "3"}},
	},
	{
		file: "excel-spanish.csv", kind: items, encoding: "windows-1252", separator: ';', decimal: tablefile.Comma,
		rows: map[int]values{
			2: {"sku": "TE-1", "name": "Té de piña y jengibre", "price": "3.75"},
			3: {"sku": "TE-2", "name": "Muñeca «Año Nuevo»", "price": "12"},
		},
	},
	{
		file: "excel-mac.csv", kind: items, encoding: "macintosh", separator: ';', decimal: tablefile.Comma,
		rows: map[int]values{
			2: {"sku": "TEE-1", "name": "Müllers Kräutertee", "price": "12.5"},
			3: {"sku": "TEE-2", "name": "Süßholz und Käse", "price": "8.9"},
		},
	},
	{
		file: "excel-polish.csv", kind: items, encoding: "windows-1250", separator: ';', decimal: tablefile.Comma,
		rows: map[int]values{
			2: {"sku": "HER-1", "name": "Herbata żółta z Łodzi", "price": "12.5"},
			3: {"sku": "HER-2", "name": "Świeża mięta", "price": "8.9"},
		},
	},
	{
		file: "excel-russian.csv", kind: items, encoding: "windows-1251", separator: ';', decimal: tablefile.Comma,
		rows: map[int]values{
			2: {"sku": "CHAI-1", "name": "Зелёный чай с мятой", "price": "350"},
			3: {"sku": "CHAI-2", "name": "Чашка «Утро»", "price": "1250.5"},
		},
	},
	{
		file: "excel-chinese.csv", kind: items, encoding: "gb18030", decimal: tablefile.Point,
		rows: map[int]values{
			2: {"sku": "TEA-1", "name": "西湖龙井茶叶", "price": "128"},
			3: {"sku": "TEA-2", "name": "玻璃杯（大）", "price": "35.5"},
		},
		ignored: []string{"库存数量"},
	},
	{
		file: "excel-chinese.csv", kind: stock, encoding: "gb18030",
		rows: map[int]values{2: {"sku": "TEA-1", "setTo": "20"}, 3: {"sku": "TEA-2", "setTo": "8"}},
	},
	{
		file: "excel-traditional.csv", kind: items, encoding: "big5", decimal: tablefile.Point,
		rows: map[int]values{2: {"sku": "TEA-1", "name": "凍頂烏龍茶", "price": "128"}, 3: {"sku": "TEA-2", "name": "玻璃杯", "price": "35.5"}},
	},
	{
		file: "excel-japanese.csv", kind: items, options: tablefile.Options{Decimal: tablefile.Point}, encoding: "shift_jis", decimal: tablefile.Point,
		rows: map[int]values{2: {"sku": "TEA-1", "name": "抹茶ラテの粉", "price": "1200"}, 3: {"sku": "TEA-2", "name": "湯呑み（大）", "price": "850"}},
	},
	{
		file: "excel-korean.csv", kind: items, encoding: "euc-kr",
		rows: map[int]values{2: {"sku": "TEA-1", "name": "제주 녹차 잎차 선물 세트", "price": "12000"}, 3: {"sku": "TEA-2", "name": "도자기 찻잔", "price": "8500"}},
	},
	{
		file: "excel-unicode-text.txt", kind: items, encoding: "utf-16le", separator: '\t', decimal: tablefile.Comma,
		rows: map[int]values{2: {"sku": "TEA-1", "name": `Thé 茶 12" Kanne`, "price": "12.5"}, 3: {"sku": "TEA-2", "name": "Čaj", "price": "8"}},
	},
	{
		file: "utf16be-unmarked.txt", kind: items, encoding: "utf-16be", separator: '\t',
		rows: map[int]values{2: {"sku": "TEA-1", "name": "一级茶叶"}, 3: {"sku": "TEA-2", "name": "茶"}},
	},
	{
		// The CSV of the web admin: see csv.test.ts.
		file: "web-admin.csv", kind: plain, encoding: "utf-8",
		rows: map[int]values{
			2:  {"sku": "0049", "name": "=1+1"},
			3:  {"sku": "B-1", "name": "'=1+1"},
			4:  {"sku": "B-2", "name": "a;=b|+c"},
			5:  {"sku": "B-3", "name": "-5"},
			6:  {"sku": "B-4", "name": "two\nlines, \"quoted\""},
			8:  {"sku": "B-5", "name": "don't"},
			9:  {"sku": "B-6", "name": "＝1+1"},
			10: {"sku": "B-7", "name": "中 -5x"},
			11: {"sku": "B-8", "name": "-5x"},
		},
	},
	{file: "no-header.csv", kind: items, encoding: "utf-8", separator: ';'},
	{
		file: "no-header.csv", kind: items, encoding: "utf-8", separator: ';', decimal: tablefile.Comma,
		options: tablefile.Options{Header: new(false), Mapping: []string{"sku", "name", "price"}},
		rows:    map[int]values{1: {"sku": "TEA-1", "name": "Tea", "price": "12.5"}, 2: {"sku": "TEA-2", "name": "Cup", "price": "8"}},
	},
	{file: "unknown-header.csv", kind: items, encoding: "utf-8", separator: ';'},
	{
		file: "unknown-header.csv", kind: items, encoding: "utf-8", separator: ';', decimal: tablefile.Comma, options: tablefile.Options{Mapping: []string{"sku", "", "price"}},
		rows: map[int]values{2: {"sku": "TEA-1", "price": "12.5"}}, ignored: []string{"Vare"},
	},
}

func TestFilesOfShopsAndSpreadsheetsAreRead(t *testing.T) {
	for _, c := range fileCases {
		t.Run(c.file+" as "+c.kind.Name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join("testdata", c.file))
			require.NoError(t, err)
			table, err := tablefile.Read(content, c.kind, c.options)
			require.NoError(t, err)
			if c.separator == 0 {
				c.separator = ','
			}
			require.Equal(t, c.encoding, table.Encoding)
			require.Equal(t, string(c.separator), string(table.Separator))
			rows, rejected := byLine(table)
			require.Equal(t, c.rejected, rejected)
			require.Equal(t, c.rows, rows)
			require.Equal(t, c.decimal, table.Decimal)
			require.Equal(t, c.rows != nil, table.IsMapped)
			if c.ignored != nil {
				require.Equal(t, c.ignored, ignored(table))
			}
		})
	}
}

// Each file has a case, so that no file of testdata is without a test.
func TestEachFileIsTested(t *testing.T) {
	entries, err := os.ReadDir("testdata")
	require.NoError(t, err)
	tested := map[string]bool{}
	for _, c := range fileCases {
		tested[c.file] = true
	}
	for _, entry := range entries {
		require.True(t, tested[entry.Name()], entry.Name())
	}
}

func byLine(table *tablefile.Table) (rows map[int]values, rejected map[int]tablefile.Code) {
	for _, row := range table.Rows {
		if rows == nil {
			rows = map[int]values{}
		}
		rows[row.Line] = row.Values
	}
	for _, r := range table.Rejected {
		if rejected == nil {
			rejected = map[int]tablefile.Code{}
		}
		rejected[r.Line] = r.Code
	}
	return rows, rejected
}

func ignored(table *tablefile.Table) []string {
	headers := []string{}
	for _, column := range table.Columns {
		if column.Use == "" {
			headers = append(headers, column.Header)
		}
	}
	return headers
}
