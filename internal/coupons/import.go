package coupons

import (
	"interlock/internal/base/tablefile"
	"interlock/internal/module"
)

// imports are lists of customers, to issue coupons to, and of codes. Headers are those of Shopify,
// WooCommerce and Stripe, and of tables in English, German, French, Spanish, Chinese and Japanese. A
// column of customer ids precedes one of e-mail addresses, and those precede one that often contains
// names. "id" is the customer in a list of customers of Stripe, and an order in other files.
var imports = []module.Import{
	{Permission: writePermission, Kind: tablefile.Kind{Name: "customers", Columns: []tablefile.Column{{
		Name: "userId",
		Headers: []string{
			"user id", "customer id", "customerid", "user", "username", "user name",
			"kundennummer", "kundennr", "kunden nr", "kunden id", "benutzer",
			"identifiant", "identifiant client", "id client", "numéro client",
			"id de cliente", "número de cliente", "usuario",
			"客户编号", "客户id", "用户id", "用户", "会员id", "会员编号",
			"顧客id", "顧客番号", "会員id",
		},
		Doubtful: []string{"id"},
		Fallbacks: []string{
			"email", "e mail", "email address", "customer email", "mail",
			"e mail adresse", "adresse e mail", "courriel", "correo", "correo electrónico", "邮箱", "电子邮件", "メール", "メールアドレス",
			"customer", "kunde", "client", "cliente", "客户",
		},
	}}}},
	{Permission: writePermission, Kind: tablefile.Kind{Name: "coupons", Columns: []tablefile.Column{{Name: "code", Headers: []string{
		"coupon code", "coupon", "discount code", "gutscheincode", "gutschein", "code promo", "código", "cupón", "券码", "优惠码", "优惠券", "优惠券码", "クーポンコード",
	}}}}},
}
