import type { Descriptor } from '../descriptor';

export const aggregateResource = {
  noun: 'aggregate',
  one: { en: 'an aggregate', zh: '聚合' },
  found: {
    aggregate: { label: { en: 'Aggregates', zh: '聚合' } },
  },
} as const satisfies Descriptor;
