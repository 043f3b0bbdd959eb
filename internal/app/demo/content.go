package demo

import (
	"encoding/json"
	"fmt"
	"time"

	"interlock/internal/aggregates"
	"interlock/internal/catalog"
	"interlock/internal/config"
)

var (
	areas    = []string{"checkout", "payment", "shipping", "search", "catalog", "coupon", "notify", "fraud", "session", "report"}
	settings = []struct {
		name, remark string
		content      func(i int) config.Content
	}{
		{"enabled", "Switch for the whole area", func(i int) config.Content { return boolean(i%7 != 0) }},
		{"timeout-ms", "Timeout of calls to other services", func(i int) config.Content { return number(1000 + 500*(i%9)) }},
		{"retries", "Attempts after the first one", func(i int) config.Content { return number(i % 5) }},
		{"rollout-percent", "Share of the users who get it", func(i int) config.Content { return bounded(5*(i%21), 0, 100) }},
		{"currency", "ISO 4217", func(i int) config.Content { return text([]string{"CNY", "EUR", "USD"}[i%3]) }},
		{"support-mail", "Where failures are reported", func(i int) config.Content { return text(areas[i%10] + "@shop.example") }},
		{"limits", "Per user and day", func(i int) config.Content {
			return document(fmt.Sprintf(`{"perUser":%d,"perDay":%d,"burst":%d}`, 1+i%4, 100+i, 10+i%20))
		}},
		{"methods", "In the order they are shown", func(i int) config.Content {
			return document([]string{`["card","wallet"]`, `["wallet","card","paypal"]`, `["card"]`}[i%3])
		}},
		{"window", "Local time of the shop", func(i int) config.Content {
			return document(fmt.Sprintf(`{"from":"%02d:00","to":"%02d:30","days":["Mon","Tue","Wed","Thu","Fri"]}`, 6+i%4, 18+i%5))
		}},
		{"banner", "Shown above the page", func(i int) config.Content {
			return text([]string{"", "Free shipping from ¥199", "Orders ship on Monday", "双十一快乐"}[i%4])
		}},
	}
	regions = []string{"cn", "eu"}
)

// configNumber returns the demo's config i: areas × settings × regions.
func configNumber(i int) (key string, content config.Content) {
	setting := settings[i%len(settings)]
	area := areas[i/len(settings)%len(areas)]
	region := regions[i/(len(settings)*len(areas))%len(regions)]
	content = setting.content(i)
	content.Remark = setting.remark
	_, content.Protected = proposals[i]
	return fmt.Sprintf("%s.%s.%s", area, region, setting.name), content
}

// proposals are the proposed changes, by the numbers of their configs, which are protected.
var proposals = map[int]string{
	13: `{"value":40,"remark":"Share of the users who get it, after the first week"}`,
	16: `{"value":{"perUser":3,"burst":25}}`,
}

func boolean(b bool) config.Content {
	return config.Content{ValueType: config.Boolean, Value: fmt.Sprint(b)}
}

func number(n int) config.Content {
	return config.Content{ValueType: config.Number, Value: fmt.Sprint(n)}
}

func bounded(n, least, most int) config.Content {
	c := number(n)
	c.Schema = fmt.Sprintf(`{"type":"number","minimum":%d,"maximum":%d}`, least, most)
	return c
}

func text(s string) config.Content {
	return config.Content{ValueType: config.String, Value: fmt.Sprintf("%q", s)}
}

func document(json string) config.Content {
	return config.Content{ValueType: config.JSON, Value: json}
}

var (
	makes  = []string{"Longjing", "Tieguanyin", "Jasmine", "Pu-erh", "Keemun", "Celadon", "Porcelain", "Bamboo", "Cast-iron", "Glass"}
	things = []string{"tea, 100 g", "tea, 500 g", "teapot", "cup, set of 4", "gift box"}
)

// itemNumber returns the demo's item i: makes × things.
func itemNumber(i int) (sku string, content catalog.Content) {
	kind, thing := i%len(makes), i/len(makes)%len(things)
	return fmt.Sprintf("TEA-%02d%02d", kind+1, thing+1), catalog.Content{
		Name:   makes[kind] + " " + things[thing],
		Price:  int64(1990 + 700*kind + 1500*thing),
		Status: "active",
	}
}

// shelfEpoch is the time of the first scan. It is constant, because a repeated event must be
// identical.
var shelfEpoch = time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)

// shelfNumber returns the events of two scanners for shelf i: stored pallets with sequence numbers,
// and units that were picked or broken.
func shelfNumber(i int) []aggregates.Write {
	name := aggregates.Name{Type: "shelf", ID: fmt.Sprintf("%c-%02d", 'A'+i/4, 1+i%4)}
	var pallets, picks []aggregates.NewEvent
	for n := range 4 + i%5 {
		at, seq := shelfEpoch.Add(time.Duration(i*37+n*53)*time.Minute), int64(100*i+n+1)
		payload := json.RawMessage(fmt.Sprintf(`{"pallet":"P-%04d"}`, 211*i+n))
		pallets = append(pallets, aggregates.NewEvent{ClientSeq: &seq, Type: "stored", Time: at, Deltas: aggregates.Counters{"pieces": 48, "pallets": 1}, Payload: payload})
	}
	for n := range 3 + i%4 {
		at, id := shelfEpoch.Add(time.Duration(i*41+n*67+30)*time.Minute), fmt.Sprintf("pick-%d-%d", i, n)
		event := aggregates.NewEvent{EventID: &id, Type: "picked", Time: at, Deltas: aggregates.Counters{"pieces": -int64(3 + 5*n), "picks": 1}}
		if n == 2 {
			event.Type, event.Deltas = "broken", aggregates.Counters{"pieces": -1, "broken": 1}
		}
		picks = append(picks, event)
	}
	return []aggregates.Write{
		{Name: name, ClientID: "scanner-gate", Enforce: true, Events: pallets},
		{Name: name, ClientID: "scanner-floor", Events: picks},
	}
}
