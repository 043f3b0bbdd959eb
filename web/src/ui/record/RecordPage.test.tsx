import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { RolePage } from '@/features/access/roles/RolePage';
import { CampaignPage } from '@/features/campaigns/CampaignPage';
import { Cockpit } from '@/features/flash-sales/Cockpit';
import { ItemPage } from '@/features/items/ItemPage';
import { renderPage } from '@/test/render';
import { session } from '@/test/service';

const owner = ownerOf('default', 7);
const none = JSON.stringify({ code: 'not_found', detail: 'There is none.' });

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(none, { status: 404 })));
  drafts.clear(owner);
  sessionStore.signedIn(session());
});
afterEach(() => void vi.unstubAllGlobals());

const item = { name: 'Green tea', price: 500, ownedByUserId: null };
const terms = { name: 'Noon', sku: 'TEA', price: 1, quantity: 1, perUserLimit: 1, startsTime: null, endsTime: null, queueCap: null, rate: null };
const role = { name: 'Support', permissions: 'orders:read' };
const campaign = { name: 'Spring', discount: 'amount 500', minimumAmount: 0, total: 10, perUser: 1, validFrom: null, validTo: null };

test.each([
  ['an item', 'items/TEA', item, 'Green tea', () => <ItemPage sku="TEA" search={{}} />],
  ['a campaign', 'coupon-campaigns/17', campaign, 'Spring', () => <CampaignPage id={17} />],
  ['a role', 'roles/17', role, 'Support', () => <RolePage id={17} />],
  ['a sale', 'flash-sales/17', terms, 'Noon', () => <Cockpit id={17} search={{}} />],
])('input for %s that was deleted is shown and can be discarded', async (_, scope, value, name, Page) => {
  drafts.store({ owner, scope }, { title: name, page: `/${scope}`, at: 1, base: { version: 1, etag: '"e1"', value }, value: { value, choices: '' } });
  await renderPage(Page, () => ({}));
  expect((await screen.findAllByText(name)).length).toBeGreaterThan(0);
  screen.getByRole('button', { name: 'Recreate' });
  act(() => screen.getByRole('button', { name: 'Discard draft' }).click());
  await screen.findByText(/ does not exist$/);
  expect(drafts.list(owner)).toEqual([]);
});
