import type { Descriptor } from '../descriptor';

export const aggregateResource = {
  noun: 'aggregate',
  folder: 'aggregates',
  label: { en: 'Aggregate', zh: '聚合' },
  one: { en: 'an aggregate', zh: '聚合' },
  found: {
    aggregate: { label: { en: 'Aggregates', zh: '聚合' } },
  },
} as const satisfies Descriptor;
