package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/racing"
	"interlock/test/tier"
)

const (
	unitPrice    = 100
	openingFunds = 1_000_000
	openingStock = 100_000
)

var (
	fulfilmentUsers = []string{"ada", "kim", "lou"}
	fulfilmentItems = []string{"TEA-1", "CUP-1"}
)

// fulfilment is two replicas on one MariaDB and Redis, and clients that drive orders through both.
type fulfilment struct {
	at       [2]settings.Settings
	replicas [2]*process
	// clerks and bosses are the callers of two users at the replicas. A boss approves refunds.
	clerks, bosses [2]*apptest.Caller
	roll           func(n int) int

	mu     sync.Mutex
	orders map[int64]*orderLedger
	faults []string
}

// orderLedger is the client's account of one order. It contains only effects of decided requests.
type orderLedger struct {
	f                       *fulfilment
	name, user, sku, method string
	id, quantity, left      int64
	status                  string
	paid, byWallet          int64
	refunded, toWallet      int64
	shipped, returned       int64
	payments, parcels       int64
	returns, refunds        int64
	step                    int
}

// Clients create, pay, ship, return, refund and cancel orders through two replicas, and repeat each request
// under its key until it is decided, while replicas are killed and started again. The service then has each
// acknowledged effect once, and no other.
// Proves G4.72.
func TestOrdersOfKilledReplicasEqualTheClientsLedger(t *testing.T) {
	t.Parallel()
	f := newFulfilment(t)
	killing, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for n := 0; killing.Err() == nil; n++ {
				f.drive(t.Context(), fmt.Sprintf("order-%d-%d", client, n))
			}
		})
	}
	kills := tier.Rounds(2, 60)
	for range kills {
		pause(t.Context(), time.Duration(f.roll(1500))*time.Millisecond)
		f.killAndStart(t)
	}
	stop()
	clients.Wait()
	t.Logf("%d orders, %d kills", len(f.orders), kills)
	require.Empty(t, f.faults)
	f.requireOrders(t)
	f.requireLedger(t)
	checkPromises(t, f.at[0])
}

func newFulfilment(t *testing.T) *fulfilment {
	t.Helper()
	f := &fulfilment{roll: dice(racing.Seeded(t).Uint64()), orders: map[int64]*orderLedger{}}
	s := fresh(t, "mariadb")
	s.RedisURL = redistest.NewServer(t).URL()
	admin(t, s, "migrate", "up")
	for i := range f.at {
		f.at[i] = s
		f.at[i].Addr = freeAddress(t)
		f.replicas[i] = serve(t, f.at[i])
	}
	f.clerks[0] = callerOf(t, f.at[0])
	f.bosses[0] = newUser(t, f.clerks[0], "boss", "admin")
	for _, callers := range []*[2]*apptest.Caller{&f.clerks, &f.bosses} {
		second := *callers[0]
		second.Program = &apptest.Program{URL: "http://" + f.at[1].Addr}
		callers[1] = &second
	}
	for _, sku := range fulfilmentItems {
		must(t, f.clerks[0], "/items", object{"sku": sku, "name": sku, "price": unitPrice})
		must(t, f.clerks[0], "/inventory/"+sku+"/adjustments", object{"delta": openingStock, "reason": "opening stock", "reference": "opening"})
	}
	for _, user := range fulfilmentUsers {
		must(t, f.clerks[0], "/wallets/"+user+"/entries", object{"amount": openingFunds, "kind": "topup", "reference": "opening"})
	}
	return f
}

// killAndStart kills one of the replicas, sometimes both, and starts them again.
func (f *fulfilment) killAndStart(t *testing.T) {
	t.Helper()
	killed := []int{f.roll(2)}
	if f.roll(4) == 0 {
		killed = []int{0, 1}
	}
	for _, i := range killed {
		f.replicas[i].kill()
	}
	for _, i := range killed {
		f.replicas[i] = serve(t, f.at[i])
	}
}

func (f *fulfilment) fault(format string, arguments ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, fmt.Sprintf(format, arguments...))
}

// send repeats a request at random replicas until it is decided. A POST is repeated under one key, and
// sometimes once more after its reply, which is then the same.
func (f *fulfilment) send(ctx context.Context, callers [2]*apptest.Caller, method, path string, body any, key string) apptest.Answer {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	var decided *apptest.Answer
	for ctx.Err() == nil {
		answer, err := callers[f.roll(2)].Try(ctx, method, "/api/v1"+path, body, "X-Idempotency-Key", key)
		running := answer.Status == http.StatusConflict && answer.Code() == "request_in_progress"
		switch {
		case err != nil || running || answer.Status == http.StatusLocked || answer.Status == http.StatusServiceUnavailable:
			pause(ctx, 20*time.Millisecond)
		case decided != nil:
			if answer.Status != decided.Status || string(answer.Body) != string(decided.Body) || !isReplay(answer) {
				f.fault("%s: the reply %d %s is repeated as %d %s", path, decided.Status, decided.Body, answer.Status, answer.Body)
			}
			return answer
		case method == http.MethodPost && answer.Status < 300 && f.roll(4) == 0:
			decided = &answer
		default:
			return answer
		}
	}
	f.fault("%s under %s was not decided", path, key)
	return apptest.Answer{}
}

// drive creates an order and drives it through one of its courses.
func (f *fulfilment) drive(ctx context.Context, name string) {
	o := &orderLedger{
		f: f, name: name, user: fulfilmentUsers[f.roll(3)], sku: fulfilmentItems[f.roll(2)],
		quantity: int64(1 + f.roll(3)), method: []string{"wallet", "external", "mixed"}[f.roll(3)], status: "pending",
	}
	created := o.post(ctx, f.clerks, http.StatusCreated, "/orders",
		object{"userId": o.user, "externalId": name, "items": []object{{"sku": o.sku, "quantity": o.quantity}}})
	if created == nil {
		return
	}
	o.id, o.left = number(created["id"]), o.quantity
	f.mu.Lock()
	f.orders[o.id] = o
	f.mu.Unlock()
	o.pay(ctx)
	switch f.roll(4) {
	case 0:
		o.shipOrCancel(ctx)
	case 1:
		o.cancel(ctx)
	default:
		if o.method != "mixed" && o.quantity > 1 && f.roll(2) == 0 {
			o.refundUnit(ctx)
		}
		o.ship(ctx)
		if o.method != "mixed" {
			o.returnUnit(ctx)
		}
		if o.post(ctx, f.clerks, http.StatusOK, o.path("/complete"), nil) != nil {
			o.status = "completed"
		}
	}
}

func (o *orderLedger) path(step string) string { return fmt.Sprintf("/orders/%d%s", o.id, step) }

func number(value any) int64 {
	n, _ := value.(float64)
	return int64(n)
}

// key returns the key of the order's next request, which is also its reference at the provider.
func (o *orderLedger) key() string {
	o.step++
	return fmt.Sprintf("%s-%d", o.name, o.step)
}

// post sends the order's next request and returns its reply, nil for another status than the expected one.
func (o *orderLedger) post(ctx context.Context, callers [2]*apptest.Caller, status int, path string, body any) object {
	answer := o.f.send(ctx, callers, http.MethodPost, path, body, o.key())
	return o.reply(answer, status, path)
}

func (o *orderLedger) reply(answer apptest.Answer, status int, path string) object {
	reply := object{}
	if answer.Status != status || json.Unmarshal(answer.Body, &reply) != nil {
		o.f.fault("%s %+v: %d %s", path, *o, answer.Status, answer.Body)
		return nil
	}
	return reply
}

// pay pays the order by one payment, or by one from outside and one by wallet.
func (o *orderLedger) pay(ctx context.Context) {
	due, path := o.quantity*unitPrice, o.path("/pay")
	if o.method == "mixed" {
		receipt := object{"method": "external", "provider": "psp", "reference": o.name, "amount": unitPrice / 2}
		first := o.post(ctx, o.f.clerks, http.StatusCreated, o.path("/payments"), receipt)
		// The provider repeats its notification under another key.
		again := o.post(ctx, o.f.clerks, http.StatusOK, o.path("/payments"), receipt)
		if first == nil || again == nil || first["id"] != again["id"] {
			o.f.fault("%s: the repeated payment %v is %v", o.name, first, again)
			return
		}
		o.paid, o.payments, due = unitPrice/2, 1, due-unitPrice/2
	}
	body := object{"method": "wallet"}
	if o.method == "external" {
		body = object{"method": "external", "reference": o.name}
	}
	if o.post(ctx, o.f.clerks, http.StatusOK, path, body) == nil {
		return
	}
	o.paid, o.payments, o.status = o.paid+due, o.payments+1, "paid"
	if o.method != "external" {
		o.byWallet = due
	}
}

// shipOrCancel races a shipment of all units against a cancellation. One of them succeeds.
func (o *orderLedger) shipOrCancel(ctx context.Context) {
	var answers [2]apptest.Answer
	paths, keys := [2]string{o.path("/ship"), o.path("/cancel")}, [2]string{o.key(), o.key()}
	bodies := [2]object{{"carrier": "DHL", "trackingNo": o.name}, {"reason": "raced"}}
	racing.Together(2, func(i int) { answers[i] = o.f.send(ctx, o.f.clerks, http.MethodPost, paths[i], bodies[i], keys[i]) })
	switch [2]int{answers[0].Status, answers[1].Status} {
	case [2]int{http.StatusOK, http.StatusConflict}:
		o.shippedAll(o.left)
	case [2]int{http.StatusConflict, http.StatusOK}:
		o.repaid(ctx)
	default:
		o.f.fault("%s: %d %s and %d %s", o.name, answers[0].Status, answers[0].Body, answers[1].Status, answers[1].Body)
	}
}

func (o *orderLedger) cancel(ctx context.Context) {
	if o.post(ctx, o.f.clerks, http.StatusOK, o.path("/cancel"), object{"reason": "no"}) != nil {
		o.repaid(ctx)
	}
}

// repaid books a cancellation, which credited the wallet, and settles its refund of the money from outside.
func (o *orderLedger) repaid(ctx context.Context) {
	o.status, o.left = "cancelled", 0
	o.refunded, o.toWallet = o.byWallet, o.byWallet
	if o.byWallet > 0 {
		o.refunds++
	}
	if o.paid == o.byWallet {
		return
	}
	path := fmt.Sprintf("/refunds?orderId=%d&status=requested", o.id)
	listing := o.reply(o.f.send(ctx, o.f.clerks, http.MethodGet, path, nil, ""), http.StatusOK, path)
	rows, _ := listing["items"].([]any)
	if len(rows) != 1 {
		o.f.fault("%s has the open refunds %v", o.name, rows)
		return
	}
	o.refunds++
	o.settle(ctx, number(rows[0].(object)["id"]), o.paid-o.byWallet)
}

// settle approves a refund and, for money from outside, settles it.
func (o *orderLedger) settle(ctx context.Context, refund, amount int64) {
	path := fmt.Sprintf("/refunds/%d", refund)
	reply := o.post(ctx, o.f.bosses, http.StatusOK, path+"/approve", nil)
	wallet := reply["method"] == "wallet"
	if reply != nil && !wallet {
		reply = o.post(ctx, o.f.bosses, http.StatusOK, path+"/settle", object{"reference": "re-" + o.name + path})
	}
	if reply["status"] != "settled" || number(reply["amount"]) != amount {
		o.f.fault("%s: the refund of %d is %v", o.name, amount, reply)
		return
	}
	o.refunded += amount
	if wallet {
		o.toWallet += amount
	}
}

// refundUnit refunds one unit before its shipment.
func (o *orderLedger) refundUnit(ctx context.Context) {
	refund := o.post(ctx, o.f.clerks, http.StatusCreated, o.path("/refunds"),
		object{"reason": "broken", "lines": []object{{"sku": o.sku, "quantity": 1, "restock": true}}})
	if refund == nil {
		return
	}
	o.refunds++
	o.left--
	o.settle(ctx, number(refund["id"]), unitPrice)
}

// ship ships one unit and then the others.
func (o *orderLedger) ship(ctx context.Context) {
	for o.left > 0 {
		units := int64(1)
		if o.parcels > 0 {
			units = o.left
		}
		if o.post(ctx, o.f.clerks, http.StatusCreated, o.path("/shipments"),
			object{"carrier": "DHL", "trackingNo": o.name, "lines": []object{{"lineId": 1, "quantity": units}}}) == nil {
			return
		}
		o.shippedAll(units)
	}
}

// shippedAll books a parcel.
func (o *orderLedger) shippedAll(units int64) {
	o.parcels, o.shipped, o.left = o.parcels+1, o.shipped+units, o.left-units
	if o.left == 0 {
		o.status = "shipped"
	}
}

// returnUnit returns one unit to stock and refunds it.
func (o *orderLedger) returnUnit(ctx context.Context) {
	requested := o.post(ctx, o.f.clerks, http.StatusCreated, o.path("/returns"), object{"reason": "too small", "lines": []object{{"lineId": 1, "quantity": 1}}})
	if requested == nil {
		return
	}
	o.returns++
	path := fmt.Sprintf("/returns/%d", number(requested["id"]))
	if o.post(ctx, o.f.clerks, http.StatusOK, path+"/receive", object{"lines": []object{{"lineId": 1, "quantity": 1, "restock": true}}}) == nil {
		return
	}
	o.returned++
	refunded := o.post(ctx, o.f.clerks, http.StatusOK, path+"/refund", object{})
	if refunded == nil {
		return
	}
	o.refunds++
	o.settle(ctx, number(refunded["refundId"]), unitPrice)
	o.post(ctx, o.f.clerks, http.StatusOK, path+"/close", object{})
}

// requireOrders compares each order at a random replica with its ledger.
func (f *fulfilment) requireOrders(t *testing.T) {
	t.Helper()
	for _, id := range slices.Sorted(maps.Keys(f.orders)) {
		o := f.orders[id]
		order := f.clerks[f.roll(2)].Do(t, http.MethodGet, "/api/v1"+o.path(""), nil).JSON(t)
		line := order["items"].([]any)[0].(object)
		require.Equal(t, []any{o.status, o.name, o.paid, int64(0), o.refunded, o.left, o.shipped, o.returned},
			[]any{
				order["status"], order["externalId"], number(order["paid"]), number(order["refundReserved"]), number(order["refunded"]),
				number(line["toShip"]), number(line["shipped"]), number(line["returned"]),
			}, "%+v", *o)
	}
}

// requireLedger compares the rows, the wallets and the stock with the sums of the clients.
func (f *fulfilment) requireLedger(t *testing.T) {
	t.Helper()
	store, rows := newWitness(t, f.at[0].DatabaseURL), map[string]int64{}
	wallets, onHand := map[string]int64{}, map[string]int64{}
	for _, o := range f.orders {
		rows["orders"]++
		rows["payments"] += o.payments
		rows["shipments"] += o.parcels
		rows["returns"] += o.returns
		rows["refunds"] += o.refunds
		wallets[o.user] += o.toWallet - o.byWallet
		onHand[o.sku] += o.returned - o.shipped
	}
	for table, want := range rows {
		require.NotZero(t, want, table)
		require.Equal(t, want, store.number(t, "SELECT COUNT(*) FROM "+table), table)
	}
	for user, change := range wallets {
		require.Equal(t, openingFunds+change, store.number(t, "SELECT balance FROM wallets WHERE user_id = ?", user), user)
		require.Equal(t, openingFunds+change, store.number(t, "SELECT SUM(amount) FROM wallet_entries WHERE user_id = ?", user), user)
	}
	for sku, change := range onHand {
		require.Equal(t, openingStock+change, store.number(t, "SELECT on_hand FROM inventories WHERE sku = ?", sku), sku)
		require.Zero(t, store.number(t, "SELECT reserved FROM inventories WHERE sku = ?", sku), sku)
	}
}
