import { readFile } from 'node:fs/promises';
import { expect, serviceSite, test } from './site';

// At full speed the first check of the promises ends soon.
const site = serviceSite(undefined, () => ({ INTERLOCK_PROMISE_SHARE: '100' }));

test('the page of promises shows results and downloads a signed copy', async () => {
  const [visitor] = await site.two('/promises');
  const { page } = visitor;
  await page.getByText('All promises are satisfied').waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'The history of each config is its versions' });
  await row.getByText('Satisfied').waitFor();
  await row.getByText('Evidence').click();
  await row.getByText('TestRacingEditsAreLinearizable').waitFor();

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Signed copy' }).click()]);
  const signed = JSON.parse(await readFile(await download.path(), 'utf8')) as { payload: string; signature: string };
  const document = JSON.parse(Buffer.from(signed.payload, 'base64url').toString()) as { promises: { state: string }[] };
  expect(new Set(document.promises.map(({ state }) => state))).toEqual(new Set(['kept']));
  expect(signed.signature.length).toBeGreaterThan(80);
  await visitor.check();
});
