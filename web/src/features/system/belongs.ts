/** The kind of record that a queue or lock belongs to, by the prefix of its name. */
const kinds: Readonly<Record<string, string>> = {
  aggregate: 'aggregates',
  coupon: 'coupons',
  config: 'configs',
  fs: 'flash-sales',
  inventory: 'inventory',
  item: 'items',
  order: 'orders',
  wallet: 'wallets',
};

/** Returns the record that a queue belongs to: flash-sales/12 for "fs:12". */
export function ofQueue(name: string): string | undefined {
  const [family = '', ...rest] = name.split(':');
  return pathOf(family, rest.join(':'));
}

/** Returns the record that a lock guards: wallets/7 for "wallet:1:7", a wallet of tenant 1. */
export function ofLock(key: string): string | undefined {
  const [kind = '', , ...rest] = key.split(':');
  return pathOf(kind, rest.join(':'));
}

function pathOf(kind: string, id: string): string | undefined {
  const page = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  return page === undefined || id === '' ? undefined : `${page}/${id}`;
}
