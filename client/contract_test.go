package client_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/client"
	"interlock/internal/base/clock"
	"interlock/internal/mq"
	"interlock/test/apptest"
	"interlock/test/contract/validate"
)

// notOfTheClient are operations for sessions in cookies, which a program with a token does not
// need, streams, exports, and GraphQL, which has other clients.
var notOfTheClient = []string{"signIn", "acceptInvitation", "checkInvitation", "getSession", "signOut", "streamEvents", "exportOrders", "exportPayments", "beatPresence", "graphql", "editMe", "changeMyPassword", "endOtherSessions",
	"finishSignIn", "stepUp", "beginStepUp", "listFactors", "beginFactor", "confirmFactor", "renameFactor", "deleteFactor", "replaceRecoveryCodes",
	"listProviders", "beginSingleSignOn", "finishSingleSignOn", "acceptInvitationByProvider", "listLinks", "beginLink", "deleteLink"}

// withoutSecret is a token as Get returns it.
func withoutSecret(token client.Token) client.Token {
	token.Token, token.SecretShownOnce = "", false
	return token
}

// walk goes through the methods of a client.
type walk struct {
	*client.Client
	t *testing.T
}

func TestEveryContractOperationHasWorkingMethod(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		caller := p.Admin(t)
		w := walk{clientOf(t, caller), t}
		w.configs()
		w.batches()
		w.follow()
		w.decide(caller)
		sku := w.items()
		w.stock(sku)
		w.bank()
		w.record()
		w.sell(sku)
		w.refund(caller, sku)
		w.pay(caller, sku)
		w.sendBack(sku)
		w.subscribe()
		w.work()
		w.redeem()
		w.flash(p)
		w.act(sku)
		w.oversee()
		w.admit(caller)
		w.signedIn(p, caller)

		contract, err := validate.Load()
		require.NoError(t, err)
		seen := caller.HTTP.Transport.(*validate.Transport)
		for _, o := range contract.Operations() {
			if strings.HasPrefix(o.Path, "/api/v1/") && !slices.Contains(notOfTheClient, o.OperationID) {
				require.True(t, seen.Succeeded(o.Name), "%s (%s) was not called with success", o.Name, o.OperationID)
			}
		}
	})
}

func (w walk) configs() {
	t, ctx := w.t, w.t.Context()
	big := json.RawMessage(`{"limit":9007199254740993,"rate":0.10}`)
	made := ok[client.Config](t)(w.Configs.Create(ctx, client.ConfigCreate{Key: "walk.one", Value: big, Remark: "first"}))
	require.JSONEq(t, string(big), string(made.Value))
	require.Equal(t, client.ValueTypeJSON, made.ValueType)
	require.Equal(t, time.UTC, made.UpdatedTime.Location())

	read := ok[client.Config](t)(w.Configs.Get(ctx, "walk.one"))
	require.Equal(t, made, read)
	_, err := w.Configs.Get(ctx, "walk.one", client.IfNoneMatch(read.ETag))
	require.ErrorIs(t, err, client.ErrNotModified)
	var value map[string]any
	require.NoError(t, read.Decode(&value))
	require.Equal(t, json.Number("9007199254740993"), value["limit"], "no digit is lost")

	read.Remark = "second"
	require.NoError(t, w.Configs.Save(ctx, &read))
	require.EqualValues(t, 2, read.Version)
	read = ok[client.Config](t)(w.Configs.RollBack(ctx, read, client.ConfigRollback{ToVersion: 1, Note: "back"}))
	require.Equal(t, "first", read.Remark)
	history := all(t, w.Configs.History("walk.one", client.Paging{Limit: 2}))
	require.Len(t, history, 3)
	require.Equal(t, client.ConfigActionRollback, history[0].Action)
	require.NoError(t, w.Configs.Delete(ctx, read))
	_, err = w.Configs.Get(ctx, "walk.one")
	require.True(t, client.HasCode(err, client.CodeNotFound))
}

func (w walk) batches() {
	t, ctx := w.t, w.t.Context()
	one := json.RawMessage(`1`)
	var changes []client.ConfigChange
	for _, key := range []string{"walk.a", "walk.b", "walk.c"} {
		changes = append(changes, ok[client.ConfigChange](t)(client.CreateConfig(client.ConfigCreate{Key: key, Value: one})))
	}
	require.Len(t, ok[client.ConfigBatchResult](t)(w.Configs.Change(ctx, client.ConfigBatch{Note: "three", Changes: changes})).Results, 3)

	a, b := ok[client.Config](t)(w.Configs.Get(ctx, "walk.a")), ok[client.Config](t)(w.Configs.Get(ctx, "walk.b"))
	require.NoError(t, b.SetValue(2))
	update := ok[client.ConfigChange](t)(client.UpdateConfig(b))
	ok[client.ConfigBatchResult](t)(w.Configs.Change(ctx, client.ConfigBatch{Changes: []client.ConfigChange{update, client.DeleteConfig(a)}}))
	_, err := w.Configs.Change(ctx, client.ConfigBatch{Changes: []client.ConfigChange{update}})
	var refused *client.BatchConflict
	require.ErrorAs(t, err, &refused)
	require.Equal(t, client.CodeVersionConflict, refused.Conflicts[0].Code)
	require.EqualValues(t, 2, refused.Conflicts[0].CurrentVersion)

	page := ok[client.Page[client.Config]](t)(w.Configs.List(client.ConfigFilter{Prefix: "walk.", Q: "walk", ValueType: client.ValueTypeNumber, Paging: client.Paging{Limit: 1, Sort: "-key"}}).Page(ctx))
	require.Equal(t, "walk.c", page.Items[0].Key)
	require.NotEmpty(t, page.NextCursor)
	require.EqualValues(t, 2, page.Total)
	require.Len(t, all(t, w.Configs.List(client.ConfigFilter{Paging: client.Paging{Limit: 1}})), 2)

	copied := ok[client.ConfigExport](t)(w.Configs.Export(ctx, client.ConfigExportQuery{Prefix: "walk."}))
	require.NotEmpty(t, ok[client.ConfigSnapshot](t)(w.Configs.Snapshot(ctx, "")).Revision)
	require.Len(t, copied.Configs, 2)
	again := copied.Import()
	again.OnExisting = "skip"
	again.Configs = append(again.Configs, client.ImportedConfig{Key: "walk.d", Value: one})
	read := ok[client.ConfigConversion](t)(w.Configs.ParseDocument(ctx, client.ConfigDocument{File: "app.properties", Text: "shop.name=Tea"}))
	require.Equal(t, client.ConfigDocumentFormatProperties, read.Format)
	require.Equal(t, "shop.name", read.Configs[0].Key)
	require.EqualValues(t, 1, ok[client.ConfigImported](t)(w.Configs.Import(ctx, again, true)).Counts.Create)
	require.EqualValues(t, 1, ok[client.ConfigImported](t)(w.Configs.Import(ctx, again, false)).Counts.Create)
	again.OnExisting = "fail"
	again.Configs[0].Value = json.RawMessage(`7`)
	_, err = w.Configs.Import(ctx, again, false)
	var imported *client.ImportRejected
	require.ErrorAs(t, err, &imported)
	require.EqualValues(t, 1, imported.Counts.Conflict)
}

func (w walk) follow() {
	t, ctx := w.t, w.t.Context()
	followed := client.Follow(ctx, w.Configs, "walk.b", 0, client.FollowOptions{})
	defer followed.Close()
	require.NoError(t, followed.Ready(ctx))
	require.Equal(t, 2, followed.Get())
	cfg := ok[client.Config](t)(w.Configs.Get(ctx, "walk.b"))
	require.NoError(t, cfg.SetValue(7))
	require.NoError(t, w.Configs.Save(ctx, &cfg))
	var last client.Current[int]
	for last = range followed.Updates(ctx) {
		if last.Value == 7 {
			break
		}
	}
	require.Equal(t, []client.Config{cfg}, last.Configs)
}

// decide has a second user decide on what the first one proposes.
func (w walk) decide(caller *apptest.Caller) {
	t, ctx := w.t, w.t.Context()
	user := ok[client.User](t)(w.Users.Create(ctx, client.UserCreate{Username: "decider", Password: new("correct horse battery"), Roles: []string{"admin"}}))
	ok[client.Token](t)(w.Tokens.Create(ctx, client.TokenCreate{Name: "decider", UserID: &user.ID, Scopes: []string{"configs:read"}}))
	other := clientOf(t, caller.As(t, "decider"))

	settings := ok[client.Settings](t)(w.Settings(ctx))
	save := func() {
		var proposed *client.Proposed
		require.ErrorAs(t, w.SaveSettings(ctx, &settings), &proposed)
		ok[client.Approval](t)(other.Approvals.ApproveChange(ctx, proposed.Approval))
		settings = ok[client.Settings](t)(w.Settings(ctx))
	}
	settings.ApprovalDays = 3
	save()
	require.EqualValues(t, 3, all(t, w.SettingsHistory(client.Paging{Limit: 1}))[0].ApprovalDays)
	threshold := int64(5)
	settings.WalletApprovalThreshold = &threshold
	save()
	require.Equal(t, &client.WalletChangeNeeds{Above: 5, Approvals: 1}, ok[client.Wallet](t)(w.Wallets.Get(ctx, "threshold")).ChangeNeeds)
	var waits *client.Proposed
	_, err := w.Wallets.EnterEntry(ctx, "threshold", client.WalletPosting{Amount: 6, Kind: "topup", Reference: "above"})
	require.ErrorAs(t, err, &waits)
	require.EqualValues(t, "wallet.entry", waits.Approval.Kind)
	ok[client.Approval](t)(w.Approvals.WithdrawChange(ctx, waits.Approval))
	settings.WalletApprovalThreshold = nil
	save()
	require.Nil(t, settings.WalletApprovalThreshold)

	safe := ok[client.Config](t)(w.Configs.Create(ctx, client.ConfigCreate{Key: "walk.safe", Value: json.RawMessage(`1`), Protected: true}))
	require.EqualValues(t, 1, ok[client.Config](t)(w.Configs.Get(ctx, "walk.safe")).ChangeNeeds.Approvals)
	propose := func(value int) client.Approval {
		fresh := ok[client.Config](t)(w.Configs.Get(ctx, safe.Key))
		require.NoError(t, fresh.SetValue(value))
		var proposed *client.Proposed
		require.ErrorAs(t, w.Configs.Save(ctx, &fresh), &proposed)
		return proposed.Approval
	}
	asked := propose(2)
	note := "three"
	asked = ok[client.Approval](t)(w.Approvals.Edit(ctx, asked, json.RawMessage(`{"value":7}`), &note))
	asked = ok[client.Approval](t)(w.Approvals.Edit(ctx, asked, json.RawMessage(`{"value":3}`), nil))
	require.Equal(t, note, asked.Note, "another patch leaves the note as it is")
	require.Len(t, all(t, other.Approvals.List(client.ApprovalFilter{WaitingFor: "me", Status: client.ApprovalStatusPending, Resource: "configs/walk.safe"})), 1)
	require.JSONEq(t, `1`, string(ok[client.Config](t)(w.Configs.Get(ctx, "walk.safe")).Value))
	said := ok[client.ApprovalComment](t)(other.Approvals.CommentOn(ctx, asked.ID, client.ApprovalCommentCreate{Text: "Is this the rate of 2026?"}))
	require.Equal(t, []client.ApprovalComment{said}, all(t, w.Approvals.Comments(asked.ID, client.Paging{})))
	asked = ok[client.Approval](t)(other.Approvals.Get(ctx, asked.ID))
	require.EqualValues(t, 1, asked.Comments)
	asked = ok[client.Approval](t)(other.Approvals.ApproveChange(ctx, asked))
	require.Equal(t, client.ApprovalStatusApproved, asked.Status)
	require.Equal(t, asked.ID, *all(t, w.Configs.History("walk.safe", client.Paging{}))[0].ApprovalID)
	require.Len(t, all(t, w.Approvals.History(asked.ID, client.Paging{})), 5)
	require.NotEmpty(t, ok[client.Approval](t)(w.Approvals.Get(ctx, asked.ID)).Sides)

	ok[client.Approval](t)(other.Approvals.RejectChange(ctx, propose(4), client.ApprovalRejection{Reason: "no"}))
	ok[client.Approval](t)(w.Approvals.WithdrawChange(ctx, propose(5)))
	overtaken := propose(6)
	fresh := ok[client.Config](t)(w.Configs.Get(ctx, "walk.safe"))
	fresh.Remark = "at once"
	require.NoError(t, w.Configs.Save(ctx, &fresh, client.Bypass("emergency")))
	overtaken = ok[client.Approval](t)(w.Approvals.Get(ctx, overtaken.ID))
	_, err = other.Approvals.ApproveChange(ctx, overtaken)
	var stale *client.StaleApproval
	require.ErrorAs(t, err, &stale)
	require.EqualValues(t, fresh.Version, stale.CurrentVersion)
	require.True(t, stale.AutoMergeable)
	ok[client.Approval](t)(w.Approvals.RebaseChange(ctx, overtaken))
	bypassed := all(t, w.Approvals.List(client.ApprovalFilter{Status: client.ApprovalStatusBypassed, Author: "me"}))
	require.Len(t, bypassed, 1)
	ok[client.Approval](t)(other.Approvals.ReviewBypass(ctx, bypassed[0], client.ApprovalReview{Note: "fine"}))
	require.EqualValues(t, 1, ok[client.Dashboard](t)(w.Dashboard(ctx)).Approvals.Mine)

	// What is scheduled waits for its time, with no votes where nothing is protected.
	free := ok[client.Config](t)(w.Configs.Create(ctx, client.ConfigCreate{Key: "walk.later", Value: json.RawMessage(`1`)}))
	free.Remark = "later"
	var planned *client.Proposed
	require.ErrorAs(t, w.Configs.Save(ctx, &free, client.At(time.Now().Add(time.Hour))), &planned)
	require.Equal(t, client.ApprovalStatusScheduled, planned.Approval.Status)
	require.Zero(t, planned.Approval.Required)
	later := time.Now().Add(2 * time.Hour).UTC().Truncate(time.Microsecond)
	put := ok[client.Approval](t)(w.Approvals.Reschedule(ctx, planned.Approval, &later))
	require.True(t, later.Equal(*put.EffectiveTime))
	require.Equal(t, []client.Approval{withoutContent(put)}, all(t, w.Approvals.List(client.ApprovalFilter{Status: client.ApprovalStatusScheduled})))
}

// withoutContent is an approval as lists have it.
func withoutContent(a client.Approval) client.Approval {
	a.Patch, a.Changes = nil, nil
	return a
}

func (w walk) items() (sku string) {
	t, ctx := w.t, w.t.Context()
	item := ok[client.Item](t)(w.Items.Create(ctx, client.ItemCreate{SKU: "WALK-1", Name: "Tea", Price: 1990}))
	owner := "shop/7"
	item.Price, item.OwnedByUserID = 2190, &owner
	require.NoError(t, w.Items.Save(ctx, &item))
	item.OwnedByUserID = nil
	require.NoError(t, w.Items.Save(ctx, &item))
	read := ok[client.Item](t)(w.Items.Get(ctx, item.SKU))
	require.EqualValues(t, 2190, read.Price)
	require.Nil(t, read.OwnedByUserID, "what is set to nil is removed")
	require.Len(t, all(t, w.Items.History(item.SKU, client.Paging{Limit: 1})), 3)
	require.Len(t, all(t, w.Items.List(client.ItemFilter{Q: "walk", Status: client.ItemStatusActive})), 1)
	spare := ok[client.Item](t)(w.Items.Create(ctx, client.ItemCreate{SKU: "WALK-2", Name: "Spare", Price: 1}))
	require.NoError(t, w.Items.Delete(ctx, spare))
	return item.SKU
}

// repeatSecrets repeats requests whose replies have secrets.
func (w walk) repeatSecrets() {
	t, ctx := w.t, w.t.Context()
	token := ok[client.Token](t)(w.Tokens.Create(ctx, client.TokenCreate{Name: "repeated"}, client.Key("token")))
	again, err := w.Tokens.Create(ctx, client.TokenCreate{Name: "repeated"}, client.Key("token"))
	require.ErrorIs(t, err, client.ErrSecretLost)
	require.Equal(t, withoutSecret(token), withoutSecret(again))
	require.Empty(t, again.Token)
	user := ok[client.User](t)(w.Users.Create(ctx, client.UserCreate{Username: "repeated"}, client.Key("user")))
	for range 2 {
		invited, err := w.Users.Create(ctx, client.UserCreate{Username: "repeated"}, client.Key("user"))
		require.ErrorIs(t, err, client.ErrSecretLost)
		require.Equal(t, []any{user.ID, client.Invitation{ExpiresTime: user.Invitation.ExpiresTime}}, []any{invited.ID, *invited.Invitation})
	}
	ok[client.User](t)(w.Users.Invite(ctx, user.ID, client.Key("invite")))
	_, err = w.Users.Invite(ctx, user.ID, client.Key("invite"))
	require.ErrorIs(t, err, client.ErrSecretLost)
	require.NoError(t, w.Tokens.Revoke(ctx, token))
}

func (w walk) admit(caller *apptest.Caller) {
	t, ctx := w.t, w.t.Context()
	user := ok[client.User](t)(w.Users.Create(ctx, client.UserCreate{Username: "walk", Password: new("correct horse battery")}))
	stale := ok[client.User](t)(w.Users.Get(ctx, user.ID))
	user.Roles = []string{"admin"}
	require.NoError(t, w.Users.Save(ctx, &user))
	stale.DisplayName = "Walker"
	require.NoError(t, w.Users.Save(ctx, &stale, client.MergeDisjoint()))
	require.Equal(t, []string{"/roles/admin"}, stale.Merged.KeptTheirs)
	require.True(t, ok[client.User](t)(w.Users.Disable(ctx, user.ID)).Disabled)
	disabled := true
	require.Len(t, all(t, w.Users.List(client.UserFilter{Q: "walk", Role: "admin", Disabled: &disabled})), 1)
	require.False(t, ok[client.User](t)(w.Users.Enable(ctx, user.ID)).Disabled)
	ok[client.User](t)(w.Users.ResetPassword(ctx, user.ID, client.PasswordReset{Password: "another horse battery", EndTokens: true}))
	require.False(t, ok[client.User](t)(w.Users.ResetFactors(ctx, user.ID)).SecondFactor)
	invited := ok[client.User](t)(w.Users.Invite(ctx, user.ID))
	require.Equal(t, "/invitation#"+invited.Invitation.Token, invited.Invitation.Path)
	require.Equal(t, invited.Invitation.ExpiresTime, *invited.InvitationExpiresTime)
	byProvider := ok[client.User](t)(w.Users.Create(ctx, client.UserCreate{Username: "invited"}))
	caller.AcceptByProvider(t, byProvider.Invitation.Token, "walker of "+caller.Tenant)
	linked := all(t, w.Users.Links(byProvider.ID))
	require.Equal(t, "Corp", *linked[0].Provider)
	require.True(t, client.HasCode(w.Users.DeleteLink(ctx, byProvider.ID, linked[0].ID), client.CodeInUse))
	require.True(t, ok[client.User](t)(w.Users.ResetPassword(ctx, byProvider.ID, client.PasswordReset{Password: "another horse battery"})).HasPassword)
	require.NoError(t, w.Users.DeleteLink(ctx, byProvider.ID, linked[0].ID))
	require.Len(t, all(t, w.Users.History(user.ID, client.Paging{Limit: 2})), 7)

	role := ok[client.Role](t)(w.Roles.Create(ctx, client.RoleCreate{Name: "walker", Permissions: []string{"configs:read"}}))
	old := ok[client.Role](t)(w.Roles.Get(ctx, role.ID))
	role.Permissions = append(role.Permissions, "configs:write")
	require.NoError(t, w.Roles.Save(ctx, &role))
	old.Permissions = append(old.Permissions, "orders:read")
	require.NoError(t, w.Roles.Save(ctx, &old, client.MergeDisjoint()))
	require.Equal(t, []string{"configs:read", "configs:write", "orders:read"}, old.Permissions)
	require.Len(t, all(t, w.Roles.History(role.ID, client.Paging{})), 3)
	require.Len(t, all(t, w.Roles.List(client.RoleFilter{Q: "walk"})), 1)
	require.NoError(t, w.Roles.Delete(ctx, old))
	w.arrangeMenus()

	token := ok[client.Token](t)(w.Tokens.Create(ctx, client.TokenCreate{Name: "walker", Scopes: []string{"configs:read"}, UserID: &user.ID}))
	require.NotEmpty(t, token.Token)
	w.repeatSecrets()
	require.Equal(t, withoutSecret(token), ok[client.Token](t)(w.Tokens.Get(ctx, token.ID)))
	require.Equal(t, []client.Token{withoutSecret(token)}, all(t, w.Tokens.List(client.TokenFilter{Q: "WALK", UserID: user.ID})))
	require.NoError(t, w.Tokens.Revoke(ctx, token))
}

func (w walk) arrangeMenus() {
	t, ctx := w.t, w.t.Context()
	group := ok[client.Menu](t)(w.Menus.Create(ctx, client.MenuCreate{Title: "Returns"}))
	menu := ok[client.Menu](t)(w.Menus.Create(ctx, client.MenuCreate{ParentID: &group.ID, Position: new(int64(0)), Path: "/orders", Permission: "orders:read"}))
	stale := ok[client.Menu](t)(w.Menus.Get(ctx, menu.ID))
	menu.Title, menu.Hidden = "Returns desk", true
	require.NoError(t, w.Menus.Save(ctx, &menu))
	var conflict *client.Conflict
	_, err := w.Menus.Move(ctx, stale.ID, client.MenuMove{}, client.IfMatch(stale.ETag))
	require.ErrorAs(t, err, &conflict)
	stale = ok[client.Menu](t)(w.Menus.Move(ctx, stale.ID, client.MenuMove{}, client.IfMatch(stale.ETag), client.MergeDisjoint()))
	require.Nil(t, stale.ParentID)
	require.Equal(t, "Returns desk", stale.Title)
	require.Len(t, all(t, w.Menus.History(menu.ID, client.Paging{})), 3)
	require.Contains(t, all(t, w.Menus.List()), ok[client.Menu](t)(w.Menus.Get(ctx, menu.ID)))
	require.NoError(t, w.Menus.Delete(ctx, stale))
	require.NoError(t, w.Menus.Delete(ctx, group))
}

// signedIn looks at who is signed in.
func (w walk) signedIn(p *apptest.Program, caller *apptest.Caller) {
	t, ctx := w.t, w.t.Context()
	me := ok[client.Me](t)(w.Me(ctx))
	require.Equal(t, "admin", me.Username)
	require.Equal(t, []string{"*"}, me.Permissions)
	caller.SignedIn(t)
	open := all(t, w.Sessions.List(client.OpenSessionFilter{UserID: me.ID}))
	require.Len(t, open, 1)
	require.Equal(t, "admin", open[0].Username)
	require.NoError(t, w.Sessions.End(ctx, open[0].ID))
}

func (w walk) stock(sku string) {
	t, ctx := w.t, w.t.Context()
	require.Equal(t, client.Inventory{SKU: sku}, ok[client.Inventory](t)(w.Inventory.Get(ctx, sku)))
	moved := ok[client.InventoryMovement](t)(w.Inventory.Adjust(ctx, sku, client.InventoryAdjustment{Delta: new(int64(10)), Reason: "opening", Reference: "opening"}, client.Wait(time.Second)))
	require.EqualValues(t, 10, moved.Available)
	require.EqualValues(t, 8, ok[client.InventoryMovement](t)(w.Inventory.Adjust(ctx, sku, client.InventoryAdjustment{SetTo: new(int64(8)), ChangeFrom: new(int64(10)), Reason: "count", Reference: "count-1"})).OnHand)
	_, err := w.Inventory.Adjust(ctx, sku, client.InventoryAdjustment{SetTo: new(int64(9)), ChangeFrom: new(int64(10)), Reason: "count", Reference: "count-2"})
	var changed *client.InventoryChanged
	require.ErrorAs(t, err, &changed)
	require.EqualValues(t, 8, changed.Current.OnHand)
	_, err = w.Inventory.Adjust(ctx, sku, client.InventoryAdjustment{Delta: new(int64(-9)), Reason: "broken", Reference: "broken"})
	var short *client.InsufficientStock
	require.ErrorAs(t, err, &short)
	require.Equal(t, []client.Shortage{{SKU: sku, Wanted: 9, Available: 8}}, short.Lines)
	require.Len(t, all(t, w.Inventory.Movements(sku, client.InventoryMovementFilter{Paging: client.Paging{Limit: 1}})), 2)
	few := int64(8)
	require.Len(t, all(t, w.Inventory.List(client.InventoryFilter{SKU: sku, MaxAvailable: &few})), 1)
}

// payer is a customer with what a path, a query, a header and JSON spell in four ways.
const payer = "shop/li+1=x@example.com"

func (w walk) bank() {
	t, ctx := w.t, w.t.Context()
	posting := client.WalletPosting{Amount: 5000, Kind: "topup", Reference: "opening"}
	first := ok[client.WalletEntry](t)(w.Wallets.EnterEntry(ctx, payer, posting))
	require.Equal(t, first, ok[client.WalletEntry](t)(w.Wallets.EnterEntry(ctx, payer, posting)), "the reference names one entry")
	moved := ok[client.WalletTransfer](t)(w.Wallets.TransferBetween(ctx, client.WalletTransferRequest{FromUserID: payer, ToUserID: "13", Amount: 100, Reference: "t-1"}))
	require.EqualValues(t, 4900, moved.Debit.Balance)
	_, err := w.Wallets.EnterEntry(ctx, "13", client.WalletPosting{Amount: -101, Kind: "fee", Reference: "fee"})
	var poor *client.InsufficientBalance
	require.ErrorAs(t, err, &poor)
	require.EqualValues(t, 100, poor.Balance)
	require.EqualValues(t, 100, ok[client.Wallet](t)(w.Wallets.Get(ctx, "13")).Balance)
	require.Len(t, all(t, w.Wallets.Entries(payer, client.WalletEntryFilter{Paging: client.Paging{Limit: 1}})), 2)
	require.Len(t, all(t, w.Wallets.List(client.WalletFilter{UserID: payer})), 1)
}

func (w walk) record() {
	t, ctx := w.t, w.t.Context()
	at := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	event := func(seq int64, counter string) client.NewLedgerEvent {
		return client.NewLedgerEvent{ClientSeq: &seq, EventID: new(fmt.Sprintf("e-%d", seq)), EventType: "stored", EventTime: at,
			Deltas: map[string]int64{counter: 2}, Payload: json.RawMessage(`{"limit":9007199254740993}`)}
	}
	none, strict := int64(0), func(events ...client.NewLedgerEvent) client.LedgerAppend {
		return client.LedgerAppend{ClientID: "scanner 3", EnforceClientIdempotency: true, Events: events}
	}
	first := strict(event(5, "in"), event(7, "in"))
	first.ExpectedVersion = &none
	require.Equal(t, client.LedgerAppended{Version: 2, Applied: 2}, ok[client.LedgerAppended](t)(w.Ledger.AppendEvents(ctx, "shelf", "A:17@x", first, client.Wait(time.Second))))

	_, err := w.Ledger.AppendEvents(ctx, "shelf", "A:17@x", strict(event(7, "in"), event(8, "in")))
	var landed *client.EventLanded
	require.ErrorAs(t, err, &landed)
	require.True(t, client.HasCode(err, client.CodeIdempotencyViolation))
	require.Equal(t, []any{0, "scanner 3", int64(7), "e-7", int64(2), 1, int64(7)},
		[]any{landed.Index, landed.ClientID, *landed.ClientSeq, landed.EventID, landed.Version, landed.Landed, *landed.HighestSeq})
	_, err = w.Ledger.AppendOnce(ctx, "shelf", "A:17@x", strict(event(7, "in"), event(8, "in")))
	require.ErrorAs(t, err, &landed, "a part of it has landed, which is no success")
	require.Equal(t, client.LedgerAppended{Version: 2}, ok[client.LedgerAppended](t)(w.Ledger.AppendOnce(ctx, "shelf", "A:17@x", first)))

	_, err = w.Ledger.AppendEvents(ctx, "shelf", "A:17@x", strict(event(7, "out")))
	var other *client.EventMismatch
	require.ErrorAs(t, err, &other)
	require.Equal(t, []string{"deltas"}, other.Differs)
	_, err = w.Ledger.AppendEvents(ctx, "shelf", "A:17@x", strict(event(6, "in")))
	var passed *client.SequenceSuperseded
	require.ErrorAs(t, err, &passed)
	require.EqualValues(t, 7, passed.HighestSeq)
	stale := strict(event(9, "in"))
	stale.ExpectedVersion = &none
	_, err = w.Ledger.AppendEvents(ctx, "shelf", "A:17@x", stale)
	var conflict *client.Conflict
	require.ErrorAs(t, err, &conflict)
	require.EqualValues(t, 2, conflict.CurrentVersion)
	_, err = w.Ledger.AppendEvents(ctx, "shelf", "none", client.LedgerAppend{ClientID: "a", ExpectedVersion: &landed.Version, Events: first.Events})
	require.ErrorAs(t, err, &conflict)
	require.Zero(t, conflict.CurrentVersion)

	read := ok[client.Aggregate](t)(w.Ledger.Get(ctx, "shelf", "A:17@x"))
	require.Equal(t, map[string]int64{"in": 4}, read.Counters)
	require.Equal(t, map[string]int64{"scanner 3": 7}, read.Writers)
	_, err = w.Ledger.Get(ctx, "shelf", "A:17@x", client.IfNoneMatch(read.ETag))
	require.ErrorIs(t, err, client.ErrNotModified)
	events := all(t, w.Ledger.Events("shelf", "A:17@x", client.LedgerEventFilter{After: 1, Paging: client.Paging{Limit: 1}}))
	require.Len(t, events, 1)
	require.JSONEq(t, `{"limit":9007199254740993}`, string(events[0].Payload))
	require.Equal(t, []any{int64(7), "e-7", at, map[string]int64{"in": 2}}, []any{*events[0].ClientSeq, *events[0].EventID, events[0].EventTime, events[0].Deltas})
	require.Len(t, all(t, w.Ledger.List(client.AggregateFilter{Type: "shelf", Q: "A:"})), 1)
}

func (w walk) sell(sku string) {
	t, ctx := w.t, w.t.Context()
	lines := []client.OrderLineRequest{{SKU: sku, Quantity: 1}}
	order := ok[client.Order](t)(w.Orders.Place(ctx, client.OrderCreate{UserID: payer, Items: lines}))
	order = ok[client.Order](t)(w.Orders.Pay(ctx, order.ID, client.Payment{Method: "wallet"}, client.IfMatch(order.ETag)))
	require.Equal(t, client.OrderStatusPaid, order.Status)
	order = ok[client.Order](t)(w.Orders.Ship(ctx, order.ID, client.Shipment{Carrier: "DHL", TrackingNo: "1"}))
	order = ok[client.Order](t)(w.Orders.Complete(ctx, order.ID))
	parcels := ok[client.Order](t)(w.Orders.Place(ctx, client.OrderCreate{UserID: "parcels", Items: lines}))
	ok[client.Order](t)(w.Orders.Pay(ctx, parcels.ID, client.Payment{Method: "external", Reference: "psp-parcels"}))
	parcel := ok[client.OrderParcel](t)(w.Orders.CreateShipment(ctx, parcels.ID, client.ShipmentCreate{
		Lines: []client.ShipmentLine{{LineID: 1, Quantity: 1}}, Carrier: "DHL", TrackingNo: "2",
	}))
	require.Equal(t, []client.OrderParcel{parcel}, all(t, w.Orders.Shipments(parcels.ID, client.Paging{})))
	_, err := w.Orders.Cancel(ctx, order.ID, client.Cancellation{Reason: "too late"})
	var refused *client.TransitionRejected
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "completed", refused.CurrentStatus)
	require.Empty(t, refused.AllowedTransitions)
	require.Equal(t, order.UpdatedBy, refused.ChangedBy)
	var current client.Order
	require.NoError(t, json.Unmarshal(refused.Current, &current))
	require.Equal(t, order, current)

	other := ok[client.Order](t)(w.Orders.Place(ctx, client.OrderCreate{UserID: payer, Items: lines}))
	require.True(t, other.FlashSaleID == nil && other.Ticket == nil && other.PaymentDue == nil, "it is of no flash sale")
	require.Equal(t, other.ID, ok[client.Order](t)(w.Orders.Get(ctx, other.ID)).ID)
	ok[client.Order](t)(w.Orders.Cancel(ctx, other.ID, client.Cancellation{Reason: "changed their mind"}))
	verdicts := ok[client.OrderBatchResult](t)(w.Orders.Move(ctx, client.OrderBatch{Action: "cancel", IDs: []int64{other.ID}, Reason: "again"})).Items
	require.EqualValues(t, "conflict", verdicts[0].Verdict)
	require.Len(t, all(t, w.Orders.History(order.ID, client.Paging{Limit: 2})), 4)
	found := all(t, w.Orders.List(client.OrderFilter{UserID: payer, From: order.CreatedTime, To: other.CreatedTime.Add(time.Second), Paging: client.Paging{Limit: 1}}))
	require.Len(t, found, 2)
}

func (w walk) pay(caller *apptest.Caller, sku string) {
	t, ctx := w.t, w.t.Context()
	role := ok[client.Role](t)(w.Roles.Create(ctx, client.RoleCreate{Name: "treasurer", Permissions: []string{"payments:*"}}))
	ok[client.User](t)(w.Users.Create(ctx, client.UserCreate{Username: "treasurer", Password: new("correct horse battery"), Roles: []string{role.Name}}))
	order := ok[client.Order](t)(w.Orders.Place(ctx, client.OrderCreate{UserID: payer, Items: []client.OrderLineRequest{{SKU: sku, Quantity: 1}}}))
	order.Note = "a gift"
	require.NoError(t, w.Orders.Save(ctx, &order))
	record := func(order int64, reference string) client.PaymentRecord {
		receipt := client.PaymentReceipt{Method: "external", Provider: "stripe", Reference: reference, Amount: new(int64(1))}
		return ok[client.PaymentRecord](t)(w.Payments.Record(ctx, order, receipt))
	}
	const unknown = 999_999_999
	part, stray, lost := record(order.ID, "pi_1"), record(unknown, "pi_2"), record(unknown, "pi_3")
	require.EqualValues(t, "applied", part.Status)
	require.EqualValues(t, "unmatched", stray.Status)
	require.EqualValues(t, "applied", ok[client.PaymentRecord](t)(w.Payments.Apply(ctx, stray.ID, client.PaymentApplication{OrderID: order.ID})).Status)
	require.Len(t, all(t, w.Payments.Order(order.ID, client.Paging{})), 2)
	require.Equal(t, part, ok[client.PaymentRecord](t)(w.Payments.Get(ctx, part.ID)))
	require.Len(t, all(t, w.Payments.History(stray.ID, client.Paging{})), 2)
	require.EqualValues(t, "refunded", ok[client.PaymentRecord](t)(clientOf(t, caller.As(t, "treasurer")).Payments.Refund(ctx, lost.ID, client.PaymentRefund{Reason: "the payer is unknown"})).Status)
	require.Equal(t, lost.ID, all(t, w.Payments.List(client.PaymentRecordFilter{Q: "pi_3"}))[0].ID)
	report := ok[client.SalesReportSales](t)(w.ReportSales(ctx, client.SalesReportSalesQuery{From: time.Now().AddDate(0, 0, -7), To: time.Now().Add(time.Hour), By: client.SalesReportGroupingDay}))
	require.NotZero(t, report.Totals.Orders)
}

func (w walk) sendBack(sku string) {
	t, ctx := w.t, w.t.Context()
	order := ok[client.Order](t)(w.Orders.Place(ctx, client.OrderCreate{UserID: payer, Items: []client.OrderLineRequest{{SKU: sku, Quantity: 2}}}))
	ok[client.Order](t)(w.Orders.Pay(ctx, order.ID, client.Payment{Method: "external", Reference: "PSP-2"}))
	ok[client.Order](t)(w.Orders.Ship(ctx, order.ID, client.Shipment{Carrier: "DHL", TrackingNo: "3"}))
	request := client.ReturnRequest{Lines: []client.ReturnLineRequest{{LineID: 1, Quantity: 1}}, Reason: "too small"}
	sent := ok[client.Return](t)(w.Returns.Request(ctx, order.ID, request))
	require.Equal(t, sent, ok[client.Return](t)(w.Returns.Get(ctx, sent.ID)))
	ok[client.Return](t)(w.Returns.Receive(ctx, sent.ID, client.ReturnReceipt{Lines: []client.ReturnReceivedLine{{LineID: 1, Quantity: new(int64(1)), Restock: true}}}))
	ok[client.Return](t)(w.Returns.Refund(ctx, sent.ID, client.ReturnRefund{}))
	require.EqualValues(t, "closed", ok[client.Return](t)(w.Returns.Close(ctx, sent.ID, client.ReturnClosing{})).Status)
	said := ok[client.ReturnComment](t)(w.Returns.CommentOn(ctx, sent.ID, client.ReturnCommentCreate{Text: "on its way"}))
	require.Equal(t, []client.ReturnComment{said}, all(t, w.Returns.Comments(sent.ID, client.Paging{})))
	require.Len(t, all(t, w.Returns.History(sent.ID, client.Paging{})), 5)
	second := ok[client.Return](t)(w.Returns.Request(ctx, order.ID, request))
	require.EqualValues(t, "rejected", ok[client.Return](t)(w.Returns.Reject(ctx, second.ID, client.ReturnRejection{Reason: "it was worn"})).Status)
	require.Len(t, all(t, w.Returns.List(client.ReturnFilter{OrderID: order.ID})), 2)

	mine := w.For(payer).Customers
	own := ok[client.MyReturn](t)(mine.RequestMyReturn(ctx, order.ID, client.MyReturnRequest{
		Lines: []client.MyReturnLineRequest{{LineID: 1, Quantity: 1}}, Reason: "too small",
	}))
	require.Contains(t, all(t, mine.MyReturns(order.ID, client.Paging{})), own)
	require.Equal(t, payer, all(t, w.Customers.List(client.CustomerFilter{Q: payer}))[0].UserID)
}

func (w walk) subscribe() {
	t, ctx := w.t, w.t.Context()
	hook := ok[client.Webhook](t)(w.Webhooks.Create(ctx, client.WebhookCreate{URL: "https://receiver.invalid/changes", Topics: []string{"orders"}}))
	require.NotEmpty(t, hook.Secret)
	require.NotEqual(t, hook.Secret, ok[client.Webhook](t)(w.Webhooks.RotateSecret(ctx, hook.ID)).Secret)
	require.False(t, ok[client.WebhookDelivery](t)(w.Webhooks.Test(ctx, hook.ID)).Delivered, "the name has no address")
	require.NotEmpty(t, all(t, w.Webhooks.Deliveries(hook.ID, client.Paging{})))
	ok[client.Webhook](t)(w.Webhooks.Replay(ctx, hook.ID, client.WebhookReplay{After: time.Now().Add(-time.Hour).Format(time.RFC3339)}))
	hook = ok[client.Webhook](t)(w.Webhooks.Get(ctx, hook.ID))
	hook.Enabled = false
	require.NoError(t, w.Webhooks.Save(ctx, &hook))
	require.NotEmpty(t, all(t, w.Webhooks.History(hook.ID, client.Paging{})))
	require.Len(t, all(t, w.Webhooks.List(client.Paging{})), 1)
	require.NoError(t, w.Webhooks.Delete(ctx, hook))
}

func (w walk) refund(caller *apptest.Caller, sku string) {
	t, ctx := w.t, w.t.Context()
	role := ok[client.Role](t)(w.Roles.Create(ctx, client.RoleCreate{Name: "refunder", Permissions: []string{"refunds:*"}}))
	ok[client.User](t)(w.Users.Create(ctx, client.UserCreate{Username: "refunder", Password: new("correct horse battery"), Roles: []string{role.Name}}))
	boss := clientOf(t, caller.As(t, "refunder")).Refunds

	order := ok[client.Order](t)(w.Orders.Place(ctx, client.OrderCreate{UserID: payer, Items: []client.OrderLineRequest{{SKU: sku, Quantity: 1}}}))
	order = ok[client.Order](t)(w.Orders.Pay(ctx, order.ID, client.Payment{Method: "external", Reference: "PSP-1"}))
	require.Equal(t, [2]int64{order.Amount, order.Amount}, [2]int64{order.Paid, order.Refundable})
	request := func() client.Refund {
		return ok[client.Refund](t)(w.Refunds.Request(ctx, order.ID, client.RefundRequest{Amount: new(int64(1)), Reason: "late"}))
	}
	_, err := w.Refunds.Request(ctx, order.ID, client.RefundRequest{Amount: new(order.Amount + 1), Reason: "too much"})
	require.True(t, client.HasCode(err, client.CodeValidationFailed))
	settling := request()
	_, err = w.Refunds.Approve(ctx, settling.ID)
	require.True(t, client.HasCode(err, client.CodeForbidden), "who requested it does not approve it")
	ok[client.Refund](t)(boss.Approve(ctx, settling.ID, client.IfMatch(settling.ETag)))
	ok[client.Refund](t)(boss.Doubt(ctx, settling.ID, client.RefundUnknownOutcome{Reason: "no answer"}))
	settled := ok[client.Refund](t)(boss.Settle(ctx, settling.ID, client.RefundSettlement{Reference: "re_1"}))
	require.Equal(t, client.RefundStatusSettled, settled.Status)
	require.Equal(t, "re_1", *settled.Reference)
	_, err = boss.Reject(ctx, settling.ID, client.RefundRejection{Reason: "late"})
	var refused *client.TransitionRejected
	require.ErrorAs(t, err, &refused)
	require.Equal(t, client.RefundStatusRejected, ok[client.Refund](t)(boss.Reject(ctx, request().ID, client.RefundRejection{Reason: "no"})).Status)
	failing := request()
	ok[client.Refund](t)(boss.Approve(ctx, failing.ID))
	require.Equal(t, client.RefundStatusFailed, ok[client.Refund](t)(boss.Fail(ctx, failing.ID, client.RefundFailure{Reason: "the card has expired"})).Status)
	byLine := ok[client.Refund](t)(w.Refunds.Request(ctx, order.ID, client.RefundRequest{Amount: new(int64(2)), Reason: "broken", Lines: []client.RefundLineRequest{{SKU: sku, Quantity: 1, Restock: true}}}))
	require.Equal(t, []client.RefundLine{{SKU: sku, Name: order.Items[0].Name, Quantity: 1, Restock: true, Worth: order.Amount}}, byLine.Lines)
	cancelled := ok[client.Order](t)(w.Orders.Cancel(ctx, order.ID, client.Cancellation{Reason: "recalled"}))
	require.Equal(t, [3]int64{order.Amount - 1, 1, 0}, [3]int64{cancelled.RefundReserved, cancelled.Refunded, cancelled.Refundable})
	rest := ok[client.Page[client.Refund]](t)(w.Refunds.List(client.RefundFilter{OrderID: order.ID, Paging: client.Paging{Limit: 1}}).Page(ctx)).Items[0]
	require.EqualValues(t, "cancellation", rest.Origin)
	require.Equal(t, settled, ok[client.Refund](t)(w.Refunds.Get(ctx, settling.ID)))
	require.Len(t, all(t, w.Refunds.History(settling.ID, client.Paging{Limit: 2})), 4)
	require.Equal(t, []int64{rest.ID}, idsOf(all(t, w.Refunds.List(client.RefundFilter{OrderID: order.ID, Status: client.RefundStatusRequested, UserID: payer}))))
}

func idsOf(refunds []client.Refund) (ids []int64) {
	for _, refund := range refunds {
		ids = append(ids, refund.ID)
	}
	return ids
}

func (w walk) work() {
	t, ctx := w.t, w.t.Context()
	due := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	order := ok[client.WorkOrder](t)(w.WorkOrders.Open(ctx, client.WorkOrderCreate{Title: "Walk", Body: "Slowly.", Priority: client.WorkOrderPriorityHigh, DueTime: &due, Links: []string{"wallets/1"}}))
	require.True(t, order.Offered && order.Holder == nil && order.DueTime.Equal(due))
	mine := ok[client.WorkOrder](t)(w.WorkOrders.Claim(ctx, order.ID, client.IfMatch(order.ETag)))
	_, err := w.WorkOrders.Claim(ctx, order.ID)
	var refused *client.TransitionRejected
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "claimed", refused.CurrentStatus)
	ok[client.WorkOrder](t)(w.WorkOrders.Release(ctx, order.ID))
	require.Equal(t, mine.Holder, ok[client.WorkOrder](t)(w.WorkOrders.Assign(ctx, order.ID, client.WorkOrderAssignment{UserID: mine.Holder.ID})).Holder)
	said := ok[client.WorkOrderComment](t)(w.WorkOrders.CommentOn(ctx, order.ID, client.WorkOrderCommentCreate{Text: "on my way"}))
	require.Equal(t, []client.WorkOrderComment{said}, all(t, w.WorkOrders.Comments(order.ID, client.Paging{})))
	require.Equal(t, "there", *ok[client.WorkOrder](t)(w.WorkOrders.Resolve(ctx, order.ID, client.WorkOrderResolution{Resolution: "there"})).Resolution)
	ok[client.WorkOrder](t)(w.WorkOrders.Close(ctx, order.ID))
	ok[client.WorkOrder](t)(w.WorkOrders.Reopen(ctx, order.ID))
	require.Equal(t, order.ID, ok[client.WorkOrder](t)(w.WorkOrders.ClaimNext(ctx)).ID)
	_, err = w.WorkOrders.ClaimNext(ctx)
	require.True(t, client.HasCode(err, client.CodeNotFound))
	require.Equal(t, client.WorkOrderStatusClaimed, ok[client.WorkOrder](t)(w.WorkOrders.Get(ctx, order.ID)).Status)
	require.Len(t, all(t, w.WorkOrders.History(order.ID, client.Paging{Limit: 2})), 9)
	require.Len(t, all(t, w.WorkOrders.List(client.WorkOrderFilter{Q: "walk", Status: client.WorkOrderStatusClaimed, Priority: client.WorkOrderPriorityHigh, HolderID: mine.Holder.ID, Link: "wallets/1", DueBy: due})), 1)
}

func (w walk) redeem() {
	t, ctx := w.t, w.t.Context()
	zone := time.FixedZone("elsewhere", 8*3600)
	terms := client.CampaignCreate{Name: "Spring", Kind: client.CampaignKindAmount, Value: 100, Total: 10, PerUser: 2,
		ValidFrom: time.Date(2020, 1, 1, 0, 0, 0, 0, zone), ValidTo: time.Date(2100, 1, 1, 0, 0, 0, 0, zone)}
	campaign := ok[client.Campaign](t)(w.Campaigns.Create(ctx, terms))
	require.True(t, terms.ValidFrom.Equal(campaign.ValidFrom))
	campaign.Name = "Summer"
	require.NoError(t, w.Campaigns.Save(ctx, &campaign))
	codes := ok[client.IssuedCoupons](t)(w.Campaigns.IssueCoupons(ctx, campaign.ID, client.IssueCoupons{UserIDs: []string{"7", "li@example.com"}})).Codes
	require.Len(t, ok[client.IssuedCoupons](t)(w.Campaigns.IssueCoupons(ctx, campaign.ID, client.IssueCoupons{Count: new(int64(3))})).Codes, 3)
	require.EqualValues(t, 5, ok[client.Campaign](t)(w.Campaigns.Get(ctx, campaign.ID)).Issued)
	require.Len(t, all(t, w.Campaigns.History(campaign.ID, client.Paging{Limit: 3})), 4)
	require.Len(t, all(t, w.Campaigns.List(client.CampaignFilter{Q: "Summer"})), 1)

	used := ok[client.Coupon](t)(w.Coupons.Redeem(ctx, codes[0], client.Redemption{UserID: "7"}))
	require.Equal(t, client.CouponStatusUsed, used.Status)
	_, err := w.Coupons.Void(ctx, codes[0], client.Voiding{Reason: "late"})
	var refused *client.TransitionRejected
	require.ErrorAs(t, err, &refused)
	require.Equal(t, client.CouponStatusVoid, ok[client.Coupon](t)(w.Coupons.Void(ctx, codes[1], client.Voiding{Reason: "typo"})).Status)
	require.Equal(t, used, ok[client.Coupon](t)(w.Coupons.Get(ctx, codes[0])))
	require.Len(t, all(t, w.Coupons.History(codes[0], client.Paging{})), 2)
	require.Len(t, all(t, w.Coupons.List(client.CouponFilter{CampaignID: campaign.ID, Status: client.CouponStatusUnused, Paging: client.Paging{Limit: 2}})), 3)
	spare := ok[client.Campaign](t)(w.Campaigns.Create(ctx, terms))
	require.NoError(t, w.Campaigns.Delete(ctx, spare))
}

func (w walk) flash(p *apptest.Program) {
	t, ctx := w.t, w.t.Context()
	ok[client.Item](t)(w.Items.Create(ctx, client.ItemCreate{SKU: "FLASH", Name: "Rare", Price: 1990}))
	ok[client.InventoryMovement](t)(w.Inventory.Adjust(ctx, "FLASH", client.InventoryAdjustment{Delta: new(int64(10)), Reason: "opening", Reference: "opening"}))
	terms := client.FlashSaleCreate{Name: "Noon", SKU: "FLASH", Price: 990, Quantity: 3, PerUserLimit: 2,
		StartsTime: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), EndsTime: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	sale := ok[client.FlashSale](t)(w.FlashSales.Plan(ctx, terms))
	sale.Name = "Noon sale"
	require.NoError(t, w.FlashSales.Save(ctx, &sale))
	buyer := w.For(payer).FlashSales
	_, err := buyer.BuyIn(ctx, sale.ID, client.FlashSalePurchase{Quantity: 1})
	var refused *client.SaleRejected
	require.ErrorAs(t, err, &refused)
	require.Equal(t, client.CodeSaleNotOpen, refused.Code)
	ok[client.FlashSale](t)(w.FlashSales.Open(ctx, sale.ID))
	ok[client.FlashSale](t)(w.FlashSales.Pause(ctx, sale.ID))
	sale = ok[client.FlashSale](t)(w.FlashSales.Resume(ctx, sale.ID))
	require.NoError(t, w.FlashSales.ChangeQuantity(ctx, &sale, 1))
	require.EqualValues(t, 4, sale.Quantity)

	bought := ok[client.FlashSaleAccepted](t)(buyer.BuyIn(ctx, sale.ID, client.FlashSalePurchase{Quantity: 2}, client.Key("flash")))
	require.Equal(t, bought.Ticket, ok[client.FlashSaleAccepted](t)(buyer.BuyIn(ctx, sale.ID, client.FlashSalePurchase{Quantity: 2}, client.Key("flash"))).Ticket)
	_, err = buyer.BuyIn(ctx, sale.ID, client.FlashSalePurchase{Quantity: 1})
	var limited *client.LimitReached
	require.ErrorAs(t, err, &limited)
	require.Equal(t, [2]int64{2, 2}, [2]int64{limited.PerUserLimit, limited.Held})
	require.Equal(t, bought.Ticket, limited.Ticket)
	confirmed := ok[client.FlashSaleTicket](t)(buyer.Await(ctx, sale.ID, bought.Ticket))
	require.Equal(t, client.FlashSaleTicketStatusConfirmed, confirmed.Status)
	order := ok[client.Order](t)(w.Orders.Get(ctx, *confirmed.OrderID))
	require.Equal(t, &sale.ID, order.FlashSaleID)
	require.Equal(t, &bought.Ticket, order.Ticket)
	require.Equal(t, order.CreatedTime.Add(15*time.Minute), *order.PaymentDue)
	mine := w.For(payer)
	require.Equal(t, order.ID, all(t, mine.Customers.MyOrders(client.MyOrderFilter{}))[0].ID)
	require.Equal(t, order.OrderNo, ok[client.MyOrder](t)(mine.Customers.MyOrder(ctx, order.ID)).OrderNo)
	require.Equal(t, bought.Ticket, all(t, mine.Customers.MyTickets(client.Paging{}))[0].Ticket)
	require.Empty(t, all(t, mine.Customers.MyCoupons(client.MyCouponFilter{})))
	require.Equal(t, order.Currency, ok[client.MyWallet](t)(mine.Customers.MyWallet(ctx)).Currency)
	w.bury(p, sale.ID)
	require.True(t, ok[client.FlashSaleReconciliation](t)(w.FlashSales.Reconcile(ctx, sale.ID)).Consistent)
	require.EqualValues(t, 2, ok[client.FlashSaleStats](t)(w.FlashSales.Stats(ctx, sale.ID)).Confirmed)
	require.Eventually(t, func() bool {
		samples := ok[client.FlashSaleSamples](t)(w.FlashSales.Samples(ctx, sale.ID, 60)).Items
		return len(samples) > 0 && samples[0].Stats.Allotted > 0
	}, patience, 100*time.Millisecond)
	require.Equal(t, client.FlashSaleStatusClosed, ok[client.FlashSale](t)(w.FlashSales.Close(ctx, sale.ID)).Status)
	require.Equal(t, sale.ID, ok[client.FlashSale](t)(w.FlashSales.Get(ctx, sale.ID)).ID)
	require.Len(t, all(t, w.FlashSales.List(client.FlashSaleFilter{Status: client.FlashSaleStatusClosed, SKU: "FLASH"})), 1)
	require.EqualValues(t, "close", all(t, w.FlashSales.History(sale.ID, client.Paging{Limit: 2}))[0].Action)
	require.NoError(t, w.FlashSales.Delete(ctx, ok[client.FlashSale](t)(w.FlashSales.Plan(ctx, terms))))
}

// bury puts a message into a sale's queue that no handler can read, and decides on it.
func (w walk) bury(p *apptest.Program, sale int64) {
	t, ctx := w.t, w.t.Context()
	queue := mq.NewSQL(p.Services().DB, clock.System{}, mq.Options{}).Queue(fmt.Sprintf("fs:%d", sale))
	require.NoError(t, queue.Enqueue(ctx, mq.Message{ID: "BROKEN", Body: []byte("no letter")}))
	dead := func() bool { return len(all(t, w.FlashSales.Dead(sale, client.Paging{}))) == 1 }
	require.Eventually(t, dead, patience, 20*time.Millisecond)
	require.NoError(t, w.FlashSales.RetryDead(ctx, sale, "BROKEN"))
	require.Eventually(t, dead, patience, 20*time.Millisecond)
	require.NoError(t, w.FlashSales.DiscardDead(ctx, sale, "BROKEN"))
	require.False(t, dead())
}

func (w walk) act(sku string) {
	t, ctx := w.t, w.t.Context()
	yes := true
	tap := client.ActionRequest{EntityType: "item", EntityID: sku, Action: "like", ActionID: 7, Active: &yes}
	taken := ok[client.ActionResult](t)(w.ApplyAction(ctx, tap))
	require.Equal(t, client.ActionResult{Active: true, LastActionID: 7, Outcome: "applied"}, taken)
	require.EqualValues(t, "duplicate", ok[client.ActionResult](t)(w.ApplyAction(ctx, tap)).Outcome)
	summary := ok[client.ActionSummary](t)(w.Actions(ctx, "item", sku))
	require.EqualValues(t, 1, summary.Counts.Like)
	require.True(t, summary.Own.Like.Active)
}

func (w walk) oversee() {
	t, ctx := w.t, w.t.Context()
	var reply client.Reply
	item := client.ItemCreate{SKU: "WALK-9", Name: "Keyed", Price: 1}
	for _, replayed := range []bool{false, true} {
		ok[client.Item](t)(w.Items.Create(ctx, item, client.Key("walk"), client.Into(&reply)))
		require.Equal(t, replayed, reply.Replayed)
		require.Equal(t, "/api/v1/items/WALK-9", reply.Location)
	}
	kept := all(t, w.Idempotency.List(client.IdempotencyKeyFilter{Key: "walk", Status: 201}))
	require.Len(t, kept, 1)
	require.EqualValues(t, 1, ok[client.IdempotencyKey](t)(w.Idempotency.Get(ctx, kept[0].ID)).Replays)
	require.Len(t, all(t, w.Audit.List(client.AuditEntryFilter{Resource: "items/WALK-9", Actor: "admin", Action: "item.create"})), 1)
	exported, err := w.Audit.Export(w.t.Context(), "")
	require.NoError(t, err)
	require.NotEmpty(t, exported.Entries)
	again, err := w.Audit.Export(w.t.Context(), exported.Cursor)
	require.NoError(t, err)
	require.Empty(t, again.Entries)
	require.False(t, again.More)
	require.NotEmpty(t, ok[client.SearchResult](t)(w.Search(ctx, "WALK-9")).Items)
	preview := ok[client.ImportPreview](t)(w.PreviewItemsImport(ctx, []byte("Artikelnummer;Preis\nM\xfcller;12,50\nTEA;free\n"), client.ImportPreviewQuery{}))
	require.Equal(t, map[string]string{"sku": "Müller", "price": "12.5"}, preview.Rows[0].Values)
	require.Equal(t, "free", preview.Rejected[0].Text)
	require.EqualValues(t, 3, preview.Rejected[0].Line)
	require.Equal(t, client.ImportCodeNumber, preview.Rejected[0].Code)
	require.Len(t, ok[client.ImportPreview](t)(w.PreviewStockImport(ctx, []byte("SKU;Bestand\nTEA;3\n"), client.ImportPreviewQuery{})).Rows, 1)
	require.Len(t, ok[client.ImportPreview](t)(w.PreviewCustomersImport(ctx, []byte("12 13"), client.ImportPreviewQuery{})).Rows, 2)
	require.Len(t, ok[client.ImportPreview](t)(w.PreviewCouponsImport(ctx, []byte("A-1"), client.ImportPreviewQuery{})).Rows, 1)
	ok[client.QueueOverview](t)(w.Queues(ctx))
	require.NotEmpty(t, ok[client.SystemReport](t)(w.System(ctx)).Findings)
	promised := ok[client.PromiseList](t)(w.Promises(ctx)).Promises
	signed := ok[client.SignedPromises](t)(w.ExportPromises(ctx))
	verified, key, err := signed.Verify()
	require.NoError(t, err)
	require.Len(t, key, 32)
	require.Equal(t, promised, verified.Promises)
	signed.Payload += "A"
	_, _, err = signed.Verify()
	require.ErrorIs(t, err, client.ErrSignature)
	require.NotNil(t, ok[client.Dashboard](t)(w.Dashboard(ctx)).OrdersByStatus)
	require.NotEmpty(t, ok[client.Page[client.Permission]](t)(w.Permissions.List().Page(ctx)).Items)
}
