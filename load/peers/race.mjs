// Sends racing writes to Directus, Vendure and Interlock and prints what each acknowledged and stored.
//
// `make race-peers` installs the peers (package-lock.json) outside the repository and runs this with their
// Node. All servers listen on loopback only, store in SQLite, have default settings, and end with this process.

import { spawn, execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const writers = 100;
const units = 10;
const shippers = 50;
const password = 'a long password of this race';
const startSeconds = 240;
const maxSeconds = 1500;

const installed = resolve(process.argv[2]);
const work = await mkdtemp(join(tmpdir(), 'interlock-race-'));
const children = [];

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

function start(command, args, options) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  const collect = (chunk) => (output = (output + chunk).slice(-4000));
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  children.push(child);
  return { child, output: () => output };
}

/** Repeats a check until it returns true; the process must not end before. */
async function until(what, server, check) {
  for (const end = Date.now() + startSeconds * 1000; Date.now() < end; ) {
    if (await check().catch(() => false)) return;
    if (server.child.exitCode !== null) break;
    await new Promise((done) => setTimeout(done, 250));
  }
  throw new Error(`${what} does not serve: ${server.output()}`);
}

async function send(method, url, body, headers = {}) {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(120_000),
  });
  const text = await response.text();
  return { ok: response.ok, status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
}

/** The body of a reply that must be 2xx. */
async function must(method, url, body, headers) {
  const reply = await send(method, url, body, headers);
  if (!reply.ok) throw new Error(`${method} ${url}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply;
}

/** Runs n calls concurrently and counts those that return true. */
async function together(n, call) {
  const results = await Promise.all([...Array(n).keys()].map((i) => call(i).catch(() => false)));
  return results.filter((result) => result === true).length;
}

const version = async (name) => JSON.parse(await readFile(join(installed, 'node_modules', name, 'package.json'))).version;

/** Directus, with the update of an item that its admin sends, or with an update by filter, which is conditional. */
async function directus(filtered) {
  const port = await freePort();
  const folder = await mkdtemp(join(work, 'directus-'));
  const env = {
    ...process.env, HOST: '127.0.0.1', PORT: String(port), DB_CLIENT: 'sqlite3', DB_FILENAME: join(folder, 'data.db'),
    SECRET: 'a secret of thirty-two bytes or more', ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: password, TELEMETRY: 'false',
  };
  const cli = join(installed, 'node_modules/directus/cli.js');
  await promisify(execFile)(process.execPath, [cli, 'bootstrap'], { env, cwd: folder, timeout: startSeconds * 1000 });
  const server = start(process.execPath, [cli, 'start'], { env, cwd: folder });
  const base = `http://127.0.0.1:${port}`;
  await until('Directus', server, async () => (await fetch(`${base}/server/ping`)).ok);
  const signedIn = await must('POST', `${base}/auth/login`, { email: 'admin@example.com', password });
  const auth = { authorization: `Bearer ${signedIn.body.data.access_token}` };
  const field = (name, type) => ({ field: name, type, schema: {} });
  const id = { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } };
  for (const [collection, ...fields] of [['counters', field('n', 'integer')], ['orders', field('status', 'string')], ['shipments', field('of', 'integer')]]) {
    await must('POST', `${base}/collections`, { collection, schema: {}, meta: {}, fields: [id, ...fields] }, auth);
  }
  const create = async (collection, item) => (await must('POST', `${base}/items/${collection}`, item, auth)).body.data;
  const read = async (path) => (await must('GET', `${base}/items/${path}`, undefined, auth)).body.data;
  const write = async (collection, before, change) => {
    if (!filtered) return (await send('PATCH', `${base}/items/${collection}/${before.id}`, change, auth)).ok;
    const filter = Object.fromEntries(Object.keys(change).map((name) => [name, { _eq: before[name] }]));
    const query = { filter: { id: { _eq: before.id }, ...filter } };
    const reply = await send('PATCH', `${base}/items/${collection}`, { query, data: change }, auth);
    return reply.ok && reply.body.data.length === 1;
  };
  return {
    name: filtered ? 'Directus, update by filter' : 'Directus', version: await version('directus'),
    counter: async () => {
      const { id } = await create('counters', { n: 0 });
      return {
        read: () => read(`counters/${id}`),
        write: (before) => write('counters', before, { n: before.n + 1 }),
        stored: async () => (await read(`counters/${id}`)).n,
      };
    },
    sell: async () => {
      const { id } = await create('counters', { n: units });
      return together(writers, async () => {
        const stock = await read(`counters/${id}`);
        if (stock.n === 0 || !(await write('counters', stock, { n: stock.n - 1 }))) return false;
        await create('orders', { status: 'paid' });
        return true;
      });
    },
    ship: async () => {
      const { id } = await create('orders', { status: 'paid' });
      await together(shippers, async () => {
        const order = await read(`orders/${id}`);
        if (order.status !== 'paid' || !(await write('orders', order, { status: 'shipped' }))) return false;
        await create('shipments', { of: id });
        return true;
      });
      return (await read(`shipments?filter[of][_eq]=${id}&limit=-1`)).length;
    },
  };
}

async function vendure() {
  const port = await freePort();
  const folder = await mkdtemp(join(work, 'vendure-'));
  const script = join(installed, 'vendure.mjs');
  const server = start(process.execPath, [script, String(port), folder, password], { cwd: folder });
  await until('Vendure', server, async () => server.output().includes('populated'));
  const call = async (api, token, query, variables) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    const reply = await must('POST', `http://127.0.0.1:${port}/${api}-api`, { query, variables }, headers);
    if (reply.body.errors) throw new Error(JSON.stringify(reply.body.errors));
    return { ...reply.body.data, token: reply.headers.get('vendure-auth-token') ?? token };
  };
  const { token } = await call('admin', '', 'mutation($p: String!) { login(username: "admin", password: $p) { __typename } }', { p: password });
  const admin = (query, variables) => call('admin', token, query, variables);
  let products = 0;
  const product = async (stockOnHand) => {
    const name = `Product ${++products}`;
    const translations = [{ languageCode: 'en', name, slug: `product-${products}`, description: '' }];
    const { createProduct } = await admin('mutation($i: CreateProductInput!) { createProduct(input: $i) { id } }', { i: { enabled: true, translations } });
    const variant = { productId: createProduct.id, sku: `P-${products}`, price: 1, stockOnHand, trackInventory: 'TRUE', translations: [{ languageCode: 'en', name }] };
    const { createProductVariants } = await admin('mutation($i: [CreateProductVariantInput!]!) { createProductVariants(input: $i) { id } }', { i: [variant] });
    return createProductVariants[0].id;
  };
  /** A customer with one unit in the cart, an address and a way of shipping: only the payment is missing. */
  const checkout = async (variant, i) => {
    let session = '';
    const shop = async (query, variables) => {
      const reply = await call('shop', session, query, variables);
      session = reply.token ?? session;
      return reply;
    };
    await shop('mutation($v: ID!) { addItemToOrder(productVariantId: $v, quantity: 1) { __typename } }', { v: variant });
    await shop('mutation($i: CreateCustomerInput!) { setCustomerForOrder(input: $i) { __typename } }', { i: { firstName: 'C', lastName: String(i), emailAddress: `c${variant}-${i}@example.com` } });
    await shop('mutation { setOrderShippingAddress(input: { streetLine1: "1 Road", city: "Town", postalCode: "10115", countryCode: "DE" }) { __typename } }');
    const { eligibleShippingMethods } = await shop('{ eligibleShippingMethods { id } }');
    await shop('mutation($m: [ID!]!) { setOrderShippingMethod(shippingMethodId: $m) { __typename } }', { m: [eligibleShippingMethods[0].id] });
    await shop('mutation { transitionOrderToState(state: "ArrangingPayment") { __typename } }');
    const { eligiblePaymentMethods } = await shop('{ eligiblePaymentMethods { code } }');
    return () => shop('mutation($m: String!) { addPaymentToOrder(input: { method: $m, metadata: {} }) { __typename ... on Order { id state lines { id } } } }', { m: eligiblePaymentMethods[0].code });
  };
  const isPaid = ({ addPaymentToOrder: order }) => order.state === 'PaymentSettled';
  return {
    name: 'Vendure', version: await version('@vendure/core'),
    counter: async () => {
      const id = await product(1);
      const read = async () => (await admin('query($id: ID!) { productVariant(id: $id) { price } }', { id })).productVariant;
      return {
        read,
        write: async ({ price }) => {
          await admin('mutation($i: [UpdateProductVariantInput!]!) { updateProductVariants(input: $i) { id } }', { i: [{ id, price: price + 1 }] });
          return true;
        },
        stored: async () => (await read()).price - 1,
      };
    },
    sell: async () => {
      const variant = await product(units);
      const payments = [];
      for (let i = 0; i < writers; i++) payments.push(await checkout(variant, i));
      return together(writers, async (i) => isPaid(await payments[i]()));
    },
    ship: async () => {
      const pay = await checkout(await product(units), 0);
      const { addPaymentToOrder: order } = await pay();
      const input = {
        lines: [{ orderLineId: order.lines[0].id, quantity: 1 }],
        handler: { code: 'manual-fulfillment', arguments: [{ name: 'method', value: 'DHL' }, { name: 'trackingCode', value: '1' }] },
      };
      await together(shippers, async () => {
        const reply = await admin('mutation($i: FulfillOrderInput!) { addFulfillmentToOrder(input: $i) { __typename } }', { i: input });
        return reply.addFulfillmentToOrder.__typename === 'Fulfillment';
      });
      return (await admin('query($id: ID!) { order(id: $id) { fulfillments { id } } }', { id: order.id })).order.fulfillments.length;
    },
  };
}

async function interlock() {
  const port = await freePort();
  const folder = await mkdtemp(join(work, 'interlock-'));
  const program = resolve(import.meta.dirname, '../../bin/admin');
  const env = { ...process.env, INTERLOCK_DATA_DIR: folder, INTERLOCK_ADMIN_PASSWORD: password, INTERLOCK_ADDR: `127.0.0.1:${port}`, INTERLOCK_LOG_LEVEL: 'error' };
  const server = start(program, ['serve'], { env });
  await until('Interlock', server, async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  const token = (await promisify(execFile)(program, ['token', 'create', '--user', 'admin', '--name', 'race'], { env })).stdout.trim();
  const auth = { authorization: `Bearer ${token}` };
  const base = `http://127.0.0.1:${port}/api/v1`;
  let items = 0;
  const item = async () => {
    const sku = `RACE-${++items}`;
    await must('POST', `${base}/items`, { sku, name: 'Raced item', price: 1990 }, auth);
    await must('POST', `${base}/inventory/${sku}/adjustments`, { delta: units, reason: 'Opening stock', reference: 'opening' }, auth);
    return sku;
  };
  const order = (sku, i) => send('POST', `${base}/orders`, { userId: `customer-${i}`, items: [{ sku, quantity: 1 }] }, auth);
  const { stdout } = await promisify(execFile)(program, ['--version']);
  return {
    name: 'Interlock', version: stdout.trim().split(' ').pop(),
    counter: async () => {
      const key = `race.counter-${++items}`;
      await must('POST', `${base}/configs`, { key, value: 0, valueType: 'number' }, auth);
      const read = async () => (await must('GET', `${base}/configs/${key}`, undefined, auth)).body;
      return {
        read,
        write: async ({ value, etag }) => (await send('PATCH', `${base}/configs/${key}`, { value: value + 1 }, { ...auth, 'if-match': etag })).ok,
        stored: async () => (await read()).value,
      };
    },
    sell: async () => {
      const sku = await item();
      return together(writers, async (i) => (await order(sku, i)).ok);
    },
    ship: async () => {
      const { body } = await order(await item(), 0);
      await must('POST', `${base}/orders/${body.id}/pay`, { method: 'external', reference: body.orderNo }, auth);
      await together(shippers, async (i) => (await send('POST', `${base}/orders/${body.id}/ship`, { carrier: 'DHL', trackingNo: `race-${i}` }, auth)).ok);
      const { body: history } = await must('GET', `${base}/orders/${body.id}/history`, undefined, auth);
      return history.items.filter(({ action }) => action === 'ship').length;
    },
  };
}

/** All writers read one record and then write the number that they read plus one. */
async function edits(peer) {
  const counter = await peer.counter();
  const pages = await Promise.all([...Array(writers).keys()].map(counter.read));
  const acknowledged = await together(writers, (i) => counter.write(pages[i]));
  return { acknowledged, stored: await counter.stored() };
}

/** The same, but a writer that is rejected reads again and retries. */
async function retriedEdits(peer) {
  const counter = await peer.counter();
  const pages = await Promise.all([...Array(writers).keys()].map(counter.read));
  const acknowledged = await together(writers, async (i) => {
    for (let page = pages[i]; ; page = await counter.read()) if (await counter.write(page)) return true;
  });
  return { acknowledged, stored: await counter.stored() };
}

const lost = ({ acknowledged, stored }) => `${acknowledged} acknowledged, ${acknowledged - stored} lost`;

const timer = setTimeout(() => fail(new Error(`not finished after ${maxSeconds} s`)), maxSeconds * 1000);

function fail(error) {
  console.error(error);
  end(1);
}

async function end(code) {
  clearTimeout(timer);
  for (const child of children) child.kill('SIGKILL');
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}

try {
  const rows = [];
  for (const open of [() => directus(false), () => directus(true), vendure, interlock]) {
    const peer = await open();
    console.error(`${peer.name} ${peer.version} serves`);
    rows.push([
      `${peer.name} ${peer.version}`, lost(await edits(peer)), lost(await retriedEdits(peer)), `${await peer.sell()} sold`, `${await peer.ship()} made`,
    ]);
    console.error(rows.at(-1).join(' | '));
    children.pop().kill('SIGKILL');
  }
  const head = ['', `${writers} edits of one record`, 'the same, rejected ones retried', `last ${units} units, ${writers} buyers`, `one shipment, ${shippers} requests`];
  console.log(`Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}.\n`);
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
  await end(0);
} catch (error) {
  fail(error);
}
