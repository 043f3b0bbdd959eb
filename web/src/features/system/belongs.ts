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

/** The record of a queue: "fs:12" serves flash-sales/12. */
export function ofQueue(name: string): string | undefined {
  const [family = '', ...rest] = name.split(':');
  return pathOf(family, rest.join(':'));
}

/** The record that a lock guards: "wallet:1:7" is wallets/7 of tenant 1. */
export function ofLock(key: string): string | undefined {
  const [kind = '', , ...rest] = key.split(':');
  return pathOf(kind, rest.join(':'));
}

function pathOf(kind: string, id: string): string | undefined {
  const page = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  return page === undefined || id === '' ? undefined : `${page}/${id}`;
}
