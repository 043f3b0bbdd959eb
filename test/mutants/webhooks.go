package main

const ofWebhooks = "internal/webhooks"

// delivering are breaks of webhooks.
var delivering = []mutant{
	{
		name: "the position of a webhook advances past a message in flight",
		file: "internal/webhooks/worker.go", old: `position = r.list[r.first].position - 1`, new: `position = r.list[len(r.list)-1].position`,
		caught: tests{ofWebhooks: {"TestMessagesAboutARecordArriveInOrder"}},
	},
	{
		name: "a message advances the position before it is confirmed",
		file: "internal/webhooks/attempt.go", old: `r.Status = response.StatusCode`, new: `r.Status = http.StatusOK`,
		caught: tests{ofWebhooks: {"TestSubscriptionIsPausedAfterThreeDays", "TestReply410PausesImmediately"}},
	},
	{
		name: "messages about one record are sent concurrently",
		file: "internal/webhooks/worker.go", old: `lanes[e.record()] = append(lanes[e.record()], i)`, new: `lanes[e.record()+e.ETag] = append(lanes[e.record()+e.ETag], i); order = append(order, e.record()+e.ETag)`,
		caught: tests{ofWebhooks: {"TestMessagesAboutARecordArriveInOrder"}},
	},
	{
		name: "a webhook connects to a private address",
		file: "internal/webhooks/client.go", old: `return ip.IsGlobalUnicast() && !ip.IsPrivate() && !within(special, ip)`, new: `return ip.IsValid()`,
		caught: tests{ofWebhooks: {"TestRedirectsAndPrivateAddressesAreRejected"}},
	},
	{
		name: "a webhook follows redirects",
		file: "internal/webhooks/client.go", old: `return http.ErrUseLastResponse`, new: `return nil`,
		caught: tests{ofWebhooks: {"TestRedirectsAndPrivateAddressesAreRejected"}},
	},
	{
		name: "the old secret signs for ever",
		file: "internal/webhooks/service.go", old: `|| !at.Before(*w.OldSecretUntil)`, new: ``,
		caught: tests{ofWebhooks: {"TestBothSecretsSignForADay"}},
	},
	{
		name: "a message has content that its owner may not read",
		file: "internal/webhooks/worker.go", old: `w.records.Read(ctx, w.hook.SavedBy, permission, e.path())`, new: `w.records.Read(ctx, w.hook.SavedBy, "*", e.path())`,
		caught: tests{ofWebhooks: {"TestMessagesWithContentNeedThePermissionOfTheOwner"}},
	},
}
