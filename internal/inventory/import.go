package inventory

import (
	"interlock/internal/base/tablefile"
	"interlock/internal/catalog"
	"interlock/internal/module"
)

// units are headers of a number of units. The column setTo uses them first; delta uses them if a preview
// reads only delta.
var units = []string{
	"quantity", "qty", "units", "pieces",
	"menge", "anzahl", "stückzahl", "stück",
	"quantité", "qté",
	"cantidad", "unidades",
	"数量", "件数",
	"個数",
}

// importKind is a table of stock: a count, or units to add and remove. In the inventory file of Shopify,
// users edit the column "On hand (new)".
var importKind = module.Import{Permission: adjustPermission, Kind: tablefile.Kind{Name: "stock", Columns: []tablefile.Column{
	catalog.SKUColumn,
	{Name: "setTo", Type: tablefile.Whole, Headers: append([]string{
		"on hand (new)", "on hand", "on hand (current)", "variant inventory qty", "inventory quantity", "stock", "counted", "count",
		"bestand", "lagerbestand", "gezählt",
		"quantité en stock", "inventaire",
		"existencias", "inventario", //nolint:misspell // Spanish
		"库存", "库存数量", "盘点数量", "现有库存", "在库",
		"在庫", "在庫数",
	}, units...)},
	{Name: "delta", Type: tablefile.Whole, Headers: append([]string{
		"change", "adjustment", "änderung", "differenz", "écart", "ajuste", "diferencia", "变动", "调整", "增减",
	}, units...)},
	{Name: "reason", Headers: []string{"grund", "motif", "raison", "motivo", "原因", "理由"}},
	{Name: "reference", Headers: []string{"referenz", "beleg", "belegnummer", "凭证号", "单号"}},
}}}
