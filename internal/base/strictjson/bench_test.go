package strictjson_test

import (
	"encoding/json"
	"testing"

	"interlock/internal/base/strictjson"
)

// orderBody is a typical request of about 300 bytes.
var orderBody = []byte(`{"userId":123456,"items":[{"sku":"BOOK-0001","quantity":2},{"sku":"LAMP-0042","quantity":1},` +
	`{"sku":"CHAIR-0007","quantity":4}],"couponCode":"SPRING-2026-ABCDEF","remark":"Please ring twice, the bell is broken",` +
	`"shipping":{"name":"Zoë Müller","street":"Lindenstraße 12","city":"Köln","country":"DE"}}`)

type orderRequest struct {
	UserID     int64   `json:"userId"`
	Items      []item  `json:"items"`
	CouponCode *string `json:"couponCode"`
	Remark     string  `json:"remark"`
	Shipping   struct {
		Name    string `json:"name"`
		Street  string `json:"street"`
		City    string `json:"city"`
		Country string `json:"country"`
	} `json:"shipping"`
}

func BenchmarkDecode(b *testing.B) {
	b.SetBytes(int64(len(orderBody)))
	b.ReportAllocs()
	for b.Loop() {
		var order orderRequest
		if err := strictjson.Decode(orderBody, &order); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStandardLibrary is the yardstick of BenchmarkDecode.
func BenchmarkStandardLibrary(b *testing.B) {
	b.SetBytes(int64(len(orderBody)))
	b.ReportAllocs()
	for b.Loop() {
		var order orderRequest
		if err := json.Unmarshal(orderBody, &order); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodePatch(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := strictjson.DecodePatch(orderBody, "userId", "items", "couponCode", "remark", "shipping"); err != nil {
			b.Fatal(err)
		}
	}
}
