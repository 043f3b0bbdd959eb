import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { OpenFeature as WebOpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { expect, tenantSite, test } from './site';

const site = tenantSite();
const guide = new URL('../../docs/guides/openfeature.md', import.meta.url);
/** A folder below web, so that the example finds the packages, and outside the sources. */
const examples = new URL('report/', import.meta.url);

const create = (key: string, valueType: string, value: unknown) => site.request<{ etag: string }>('POST', '/configs', { key, valueType, value });
const tokenFor = async (...scopes: string[]) => {
  const { token } = await site.request<{ token: string }>('POST', '/tokens', { name: `flags-${scopes.join('-')}`, scopes });
  return token;
};
const authorized = (token: string): [string, string][] => [['Authorization', `Bearer ${token}`]];

test('a server evaluates flags of each type through the official provider', async () => {
  const express = await create('flags.express', 'boolean', true);
  await create('flags.title', 'string', 'Checkout');
  await create('flags.tax', 'number', 0.2);
  await create('flags/limits', 'json', { daily: 5, countries: ['DE', 'AT'] });
  const provider = new OFREPProvider({ baseUrl: site.address, headers: authorized(await tokenFor('configs:read')) });
  await OpenFeature.setProviderAndWait('server', provider);
  const client = OpenFeature.getClient('server');
  const context = { targetingKey: 'customer-7', country: 'DE', since: new Date(), plan: { name: 'pro' } };

  expect(await client.getBooleanDetails('flags.express', false, context)).toMatchObject({
    value: true,
    reason: 'STATIC',
    variant: 'v1',
    flagMetadata: { version: 1, etag: express.etag },
  });
  expect(await client.getStringValue('flags.title', '', context)).toBe('Checkout');
  expect(await client.getNumberValue('flags.tax', 0)).toBe(0.2);
  expect(await client.getObjectValue('flags/limits', {})).toEqual({ daily: 5, countries: ['DE', 'AT'] });

  expect(await client.getBooleanDetails('flags.none', true)).toMatchObject({ value: true, reason: 'ERROR', errorCode: 'FLAG_NOT_FOUND' });
  expect(await client.getStringDetails('flags.express', 'default')).toMatchObject({ value: 'default', errorCode: 'TYPE_MISMATCH' });

  const other = new OFREPProvider({ baseUrl: site.address, headers: authorized(await tokenFor('items:read')) });
  await OpenFeature.setProviderAndWait('without permission', other);
  expect(await OpenFeature.getClient('without permission').getBooleanDetails('flags.express', false)).toMatchObject({ value: false, errorCode: 'GENERAL' });
});

test('a client that polls reads all flags once and then only changes', async () => {
  const created = await create('polled.express', 'boolean', false);
  await create('polled.title', 'string', 'Checkout');
  const statuses: number[] = [];
  const provider = new OFREPWebProvider({
    baseUrl: site.address,
    query: new URLSearchParams({ prefix: 'polled.' }),
    headers: authorized(await tokenFor('configs:read')),
    cacheMode: 'disabled',
    pollInterval: 50,
    fetchImplementation: async (...request) => {
      const reply = await fetch(...request);
      statuses.push(reply.status);
      return reply;
    },
  });
  await WebOpenFeature.setProviderAndWait(provider, { targetingKey: 'customer-7' });
  const client = WebOpenFeature.getClient();
  expect(Object.keys(provider.flagCache).sort()).toEqual(['polled.express', 'polled.title']);
  expect(client.getBooleanValue('polled.express', true)).toBe(false);
  await expect.poll(() => statuses).toContain(304);

  const changed = new Promise((resolve) => {
    client.addHandler(ProviderEvents.ConfigurationChanged, (details) => resolve(details?.flagsChanged));
  });
  await site.request('PATCH', '/configs/polled.express', { value: true }, { 'If-Match': created.etag });
  expect(await changed).toEqual(['polled.express']);
  expect(client.getBooleanDetails('polled.express', false)).toMatchObject({ value: true, variant: 'v2' });
  await WebOpenFeature.close();
});

test('the example of the guide prints the value of a config', async () => {
  const code = /```js\n(.*?)```/s.exec(await readFile(guide, 'utf8'))?.[1];
  if (code === undefined) throw new Error('docs/guides/openfeature.md has no example in JavaScript');
  await mkdir(examples, { recursive: true });
  const example = new URL('openfeature.mjs', examples);
  await writeFile(example, code);
  await create('checkout.express', 'boolean', true);
  // Playwright asks for colours.
  const env = { ...process.env, FORCE_COLOR: '0', URL: site.address, TOKEN: await tokenFor('configs:read') };
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(example)], { env });
  expect(stdout).toBe('true STATIC v1\n');
});
