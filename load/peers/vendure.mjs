// Starts Vendure on an SQLite file with one country, one way of shipping and one of payment:
// vendure.mjs PORT FOLDER PASSWORD. Everything else is Vendure's default.

import { join } from 'node:path';

import { bootstrap, DefaultLogger, dummyPaymentHandler, LogLevel } from '@vendure/core';
import { populate } from '@vendure/core/cli/index.js';

const [port, folder, password] = process.argv.slice(2);

const config = {
  apiOptions: { hostname: '127.0.0.1', port: Number(port), adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: { tokenMethod: 'bearer', superadminCredentials: { identifier: 'admin', password } },
  dbConnectionOptions: { type: 'better-sqlite3', synchronize: true, database: join(folder, 'vendure.sqlite') },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  importExportOptions: { importAssetsDir: folder },
  logger: new DefaultLogger({ level: LogLevel.Warn }),
};

const initialData = {
  defaultLanguage: 'en',
  defaultZone: 'Europe',
  countries: [{ name: 'Germany', code: 'DE', zone: 'Europe' }],
  taxRates: [{ name: 'Standard', percentage: 19 }],
  shippingMethods: [{ name: 'Parcel', price: 500 }],
  paymentMethods: [
    { name: 'Card', handler: { code: dummyPaymentHandler.code, arguments: [{ name: 'automaticSettle', value: 'true' }] } },
  ],
  collections: [],
};

await populate(() => bootstrap(config), initialData);
console.log('populated');
