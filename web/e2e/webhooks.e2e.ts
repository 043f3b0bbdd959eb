import { expect, tenantSite, test } from './site';

const site = tenantSite();

test('a webhook is created, tested, changed, replayed, disabled and deleted', async () => {
  const { page } = await site.enter('/webhooks');
  const dialog = page.getByRole('dialog');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await button('New webhook').first().click();
  await dialog.getByRole('button', { name: 'Create the webhook' }).click();
  await dialog.getByText('Choose at least one topic.').waitFor();
  await dialog.getByRole('textbox', { name: 'Address' }).fill('https://hooks.invalid/orders');
  const topics = dialog.getByRole('combobox', { name: 'Topics' });
  await topics.fill('Order');
  await page.getByRole('option', { name: 'Order', exact: true }).click();
  await page.keyboard.press('Escape');
  const actions = dialog.getByRole('combobox', { name: 'Only these actions' });
  await actions.fill('ship');
  await actions.press('Enter');
  await dialog.getByRole('button', { name: 'Create the webhook' }).click();
  expect(await page.locator('[data-secret]').innerText()).toMatch(/^whsec_/);
  await button('I have stored it').click();
  await page.getByRole('heading', { level: 1, name: 'https://hooks.invalid/orders' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const now = () => site.request<object>('GET', `/webhooks/${id}`);
  expect(await now()).toMatchObject({ topics: ['orders'], filter: { actions: ['ship'] }, content: 'thin', enabled: true });

  await button('Send a test').click();
  await page.getByText(/The test got no reply: /).waitFor();
  await page.getByRole('table', { name: 'Deliveries' }).getByText('No reply').waitFor();

  await page.getByRole('radio', { name: 'The record itself' }).check();
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('Saved as v2.').first().waitFor();
  expect(await now()).toMatchObject({ filter: { actions: ['ship'] }, content: 'full' });

  await button('Replay…').click();
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText('The messages are being sent again.').waitFor();

  await button('Replace the secret').click();
  await dialog.getByRole('button', { name: 'Replace the secret' }).click();
  expect(await page.locator('[data-secret]').innerText()).toMatch(/^whsec_/);
  await button('I have stored it').click();
  await page.getByText('The old secret also signs until').waitFor();

  await button('Disable').click();
  await page.getByText('The webhook is disabled. It retains its position.').waitFor();
  expect(await now()).toMatchObject({ enabled: false, status: 'disabled' });

  await button('Delete').click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhooks yet').waitFor();
});
