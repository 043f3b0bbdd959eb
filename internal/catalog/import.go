package catalog

import (
	"interlock/internal/base/tablefile"
	"interlock/internal/module"
)

// SKUColumn is the column of a table file that identifies an item. Its headers are those of Shopify,
// WooCommerce, and of tables in English, German, French, Spanish, Chinese and Japanese. A handle
// identifies a product with all its variants, and so no item.
var SKUColumn = tablefile.Column{Name: "sku", Headers: []string{
	"variant sku", "item number", "item no", "article number", "product code", "stock keeping unit",
	"artikelnummer", "artikelnr", "artikel nr", "art nr",
	"ugs", "référence", "code article", "référence produit",
	"código", "código de artículo", "referencia",
	"sku编码", "货号", "商品编码", "商品货号", "商家编码",
	"品番", "商品コード", "商品番号",
}}

// importKind is a table of items. The rows of one product have its name and status once, in the row
// of the first variant, and the options of a variant follow the name.
var importKind = module.Import{Permission: writePermission, Kind: tablefile.Kind{Name: "items", Group: "product", Columns: []tablefile.Column{
	SKUColumn,
	{
		Name: "name", Inherits: true, Parts: []string{"option1 value", "option2 value", "option3 value"},
		Headers: []string{
			"title", "product name", "item name",
			"bezeichnung", "artikelbezeichnung", "artikelname", "produktname", "titel", "artikel",
			"nom", "nom du produit", "désignation", "libellé", "titre", "article", "produit",
			"nombre", "nombre del producto", "título", "artículo", "producto", //nolint:misspell // Spanish
			"名称", "商品名称", "产品名称", "品名", "标题", "商品名",
		},
	},
	{Name: "price", Type: tablefile.Number, Headers: []string{
		"variant price", "regular price", "unit price",
		"preis", "verkaufspreis", "regulärer preis", "vk preis", "einzelpreis",
		"prix", "prix de vente", "tarif régulier", "tarif", "prix unitaire",
		"precio", "precio normal", "precio de venta", "pvp", "precio unitario",
		"价格", "单价", "售价", "常规售价", "常规价格",
		"価格", "販売価格", "通常価格", "単価",
	}},
	{
		Name: "status", Type: tablefile.Choice, Inherits: true,
		Headers: []string{"published", "statut", "estado", "veröffentlicht", "publié", "publicado", "状态", "已发布"},
		Values: map[string]string{
			string(Active): string(Active), "1": string(Active), "true": string(Active), "yes": string(Active), "publish": string(Active),
			"aktiv": string(Active), "actif": string(Active), "activo": string(Active), "上架": string(Active), "启用": string(Active), "在售": string(Active),
			// An unpublished item cannot be ordered.
			string(Archived): string(Archived), "0": string(Archived), "-1": string(Archived), "false": string(Archived), "no": string(Archived), "draft": string(Archived),
			"archiviert": string(Archived), "archivé": string(Archived), "archivado": string(Archived), "下架": string(Archived), "已归档": string(Archived),
		},
	},
	{Name: "ownedByUserId", Headers: []string{"owner", "owner (user id)", "besitzer", "propriétaire", "propietario", "归属用户 id", "归属用户id"}},
	{Name: "product", Headers: []string{"handle", "url handle"}},
}}}
