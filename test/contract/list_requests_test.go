package contract_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// request is a request for a list.
type request struct {
	// list is the path of the list in the contract, without the base.
	list string
	// query contains the filters and the sort.
	query url.Values
	// path is the path of the request.
	path string
}

func (r request) String() string {
	text, err := url.QueryUnescape(r.query.Encode())
	if err != nil || text == "" {
		return r.list
	}
	return r.list + "?" + text
}

// values are values of filters: one that many rows have, one that few have, and one that no row has,
// if such values exist. The values of a parameter apply to every list without separate values.
var values = map[string][]string{
	"status": {"completed", "pending"},
	"userId": {"heavy", "u17", "nobody"},
	"from":   {"{day-200}", "{day-0.01}"},
	"to":     {"{day-200}", "{day-364.9}"},

	"/audit-log resource": {"configs/", "configs/app.1", "orders/17", "nowhere/1"},
	"/audit-log actor":    {"0", "system", "Wang", "Li 105", "nobody"},
	"/audit-log action":   {"config.update", "role.update", "config.delete,config.batch,item.delete", "never.done"},

	"/configs prefix":    {"app", "app17.", "app1.100000", "none"},
	"/configs q":         {"hundred", "Remark 17", "nowhere-to-be-found"},
	"/configs valueType": {"string", "json", "boolean"},

	"/orders q":                {"2026", "20260101-1000001", "none"},
	"/orders externalId":       {"web-17", "none"},
	"/orders email":            {"c17@example.com", "none"},
	"/orders trackingNo":       {"JD17", "none"},
	"/orders reference":        {"PSP-17", "none"},
	"/orders sku":              {"popular", "sku-17", "none"},
	"/orders tag":              {"gift", "tag-17", "none"},
	"/orders couponCode":       {"WELCOME", "RARE", "none"},
	"/orders flashSaleId":      {"1", "17", "99999999"},
	"/orders paymentStatus":    {"paid", "refunded", "partly_paid"},
	"/orders fulfilmentStatus": {"none", "partly_shipped"},
	"/orders toShip":           {"true", "false"},
	"/orders paidFrom":         {"{day-200}", "{day-0.01}"},
	"/orders paidTo":           {"{day-200}", "{day-364.9}"},
	"/orders shippedFrom":      {"{day-200}", "{day-0.01}"},
	"/orders shippedTo":        {"{day-200}", "{day-364.9}"},

	"/customers q": {"u", "u17", "nobody"},

	"/payments status":         {"applied", "unmatched", "refunded"},
	"/payments orderId":        {"20", "99999999"},
	"/payments q":              {"pi-", "pi-10000017", "none"},
	"/payments method":         {"external", "wallet"},
	"/payments provider":       {"stripe", "wallet", "none"},
	"/orders/{id}/payments id": {"5"},

	"/refunds status":  {"requested", "settled"},
	"/refunds orderId": {"20", "99999999"},

	"/returns status":  {"closed", "requested"},
	"/returns orderId": {"20", "99999999"},
	"/returns q":       {"2026", "20260101-1000001", "none"},

	"/items q":      {"Tea", "no. 17", "nowhere"},
	"/items status": {"active", "archived"},

	"/inventory q":            {"sku", "00017", "nowhere"},
	"/inventory sku":          {"sku-1000017", "none"},
	"/inventory maxAvailable": {"5000", "3"},

	"/inventory/{sku}/movements reference": {"r-4", "none"},
	"/wallets/{userId}/entries reference":  {"r-4", "none"},
	"/wallets/{userId}/entries kind":       {"pay", "gift", "none"},
	"/wallets q":                           {"u1", "none"},
	"/wallets userId":                      {"u17", "nobody"},
	"/aggregates type":                     {"counter", "rare", "none"},
	"/aggregates q":                        {"page", "page-17", "none"},
	"/aggregates/{type}/{id}/events after": {"0"},
	"/coupon-campaigns q":                  {"Campaign", "nowhere"},
	"/coupons campaignId":                  {"{campaign}", "99999999"},
	"/coupons status":                      {"unused", "used", "void", "expired"},
	"/coupons expiresBy":                   {"{day-0}", "{day-364.9}"},
	"/flash-sales q":                       {"Sale", "nowhere"},
	"/flash-sales status":                  {"closed", "open"},
	"/flash-sales sku":                     {"sku-17", "none"},
	"/approvals status":                    {"pending", "approved", "expired", "scheduled"},
	"/approvals resource":                  {"configs/app.17", "none"},
	"/approvals author":                    {"17", "99999"},
	"/approvals waitingFor":                {"me"},
	"/work-orders q":                       {"Call", "customer 17", "nowhere"},
	"/work-orders status":                  {"closed", "open"},
	"/work-orders priority":                {"low", "urgent"},
	"/work-orders holderId":                {"103", "99999"},
	"/work-orders link":                    {"orders/17", "orders/99999999"},
	"/work-orders dueBy":                   {"{day-0}", "{day-364.9}"},
	"/idempotency-keys key":                {"key-10000017", "none"},
	"/idempotency-keys status":             {"201", "409", "500"},
	"/users q":                             {"user", "nowhere"},
	"/users role":                          {"admin", "none"},
	"/users disabled":                      {"false", "true"},
	"/roles q":                             {"role", "nowhere"},
	"/tokens q":                            {"token", "nowhere"},
	"/tokens userId":                       {"17", "99999"},
	"/sessions userId":                     {"17"},
	"/configs/{key}/history key":           {"app1.1000001"},
	"/orders/{id}/history id":              {"1"},
	"/inventory/{sku}/movements sku":       {"sku-1000001"},
	"/wallets/{userId}/entries userId":     {"u1"},
}

// alike are the lists that are not requested, with the reasons.
var alike = map[string]string{
	"/users/{id}/history":            "has the shape and the index of /orders/{id}/history: (tenant, parent, version)",
	"/roles/{id}/history":            "has the shape and the index of /orders/{id}/history",
	"/menus/{id}/history":            "has the shape and the index of /orders/{id}/history",
	"/settings/history":              "a tenant's settings change a few times in its life; unique by (tenant, version)",
	"/approvals/{id}/history":        "has the shape and the index of /orders/{id}/history",
	"/items/{sku}/history":           "has the shape and the index of /orders/{id}/history",
	"/payments/{id}/history":         "has the shape and the index of /orders/{id}/history",
	"/refunds/{id}/history":          "has the shape and the index of /orders/{id}/history",
	"/returns/{id}/history":          "has the shape and the index of /orders/{id}/history",
	"/work-orders/{id}/history":      "has the shape and the index of /orders/{id}/history",
	"/orders/{id}/shipments":         "is walked along (tenant, order, id), as /wallets/{userId}/entries is along its own",
	"/approvals/{id}/comments":       "is walked along (tenant, approval, id), as /work-orders/{id}/comments is along its own",
	"/returns/{id}/comments":         "is walked along (tenant, return, id), as /wallets/{userId}/entries is along its own",
	"/work-orders/{id}/comments":     "is walked along (tenant, work order, id), as /wallets/{userId}/entries is along its own",
	"/coupon-campaigns/{id}/history": "has the shape and the index of /orders/{id}/history",
	"/coupons/{code}/history":        "has the shape and the index of /orders/{id}/history",
	"/flash-sales/{id}/history":      "has the shape and the index of /orders/{id}/history",
	"/aggregates/{type}/{id}/events": "is walked along uq_aggregate_events_version: (tenant, aggregate, version)",
	"/my/orders":                     "is /orders with userId, for customers",
	"/my/orders/{id}/returns":        "is /returns with orderId, for customers",
	"/my/tickets":                    "is walked along the customer's orders and rejections",
	"/my/coupons":                    "is /coupons with userId, for customers",
	"/flash-sales/{id}/dead":         "is a queue's, which bounds it",
	"/webhooks":                      "a tenant has at most 1,000, along (tenant, id)",
	"/webhooks/{id}/history":         "has the shape and the index of /orders/{id}/history",
	"/webhooks/{id}/deliveries":      "is walked along (tenant, webhook, id), as /wallets/{userId}/entries is along its own",
}

// paging are the parameters of every list.
var paging = []string{"limit", "cursor", "sort", "total"}

// requests returns requests for all lists of the contract: with each sort and no filter,
// with each value of each filter, and with each pair of filters. fresh replaces
// placeholders in a value that are only known at run time.
func requests(contract *openapi3.T, base string, fresh func(string) string) ([]request, error) {
	var all []request
	for _, path := range contract.Paths.InMatchingOrder() {
		item := contract.Paths.Value(path)
		if item.Get == nil || !takes(item.Get, "cursor") {
			continue
		}
		list := strings.TrimPrefix(path, base)
		if _, ok := alike[list]; ok {
			continue
		}
		some, err := requestsOf(list, base, item, fresh)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func takes(operation *openapi3.Operation, name string) bool {
	return operation.Parameters.GetByInAndName("query", name) != nil
}

func requestsOf(list, base string, item *openapi3.PathItem, fresh func(string) string) ([]request, error) {
	sorts := []string{""}
	path := base + list
	filters := map[string][]string{}
	for _, ref := range append(slices.Clone(item.Parameters), item.Get.Parameters...) {
		p := ref.Value
		switch {
		case p.In == "path":
			known, ok := valuesOf(list, p.Name)
			if !ok {
				return nil, fmt.Errorf("%s: give its path parameter %s a value in values", list, p.Name)
			}
			path = strings.ReplaceAll(path, "{"+p.Name+"}", known[0])
		case p.In != "query":
		case p.Name == "sort":
			sorts = nil
			for _, value := range p.Schema.Value.Enum {
				sorts = append(sorts, fmt.Sprint(value))
			}
		case !slices.Contains(paging, p.Name):
			known, ok := valuesOf(list, p.Name)
			if !ok {
				return nil, fmt.Errorf("%s: give its parameter %s values that many rows, few and none have, in values", list, p.Name)
			}
			filters[p.Name] = known
		}
	}
	var all []request
	for _, sort := range sorts {
		add := func(query url.Values) {
			if sort != "" {
				query.Set("sort", sort)
			}
			all = append(all, request{list: list, query: query, path: path})
		}
		add(url.Values{})
		names := slices.Sorted(maps.Keys(filters))
		for i, name := range names {
			for _, value := range filters[name] {
				add(url.Values{name: {fresh(value)}})
			}
			for _, other := range names[i+1:] {
				for at := range 2 {
					add(url.Values{name: {fresh(at0(filters[name], at))}, other: {fresh(at0(filters[other], at))}})
				}
			}
		}
	}
	return all, nil
}

// at0 returns the value at an index, or the first value if the list is shorter.
func at0(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return list[0]
}

func valuesOf(list, name string) ([]string, bool) {
	if own, ok := values[list+" "+name]; ok {
		return own, true
	}
	shared, ok := values[name]
	return shared, ok
}
