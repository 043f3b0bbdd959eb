import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Surroundings } from '@/test/render';
import { LossTable } from './CrashLosses';
import { adviceOf } from './crashMessages';
import type { Finding, SystemReport } from './queries';

const everysec: Finding = {
  engine: 'redis',
  name: 'appendfsync',
  value: 'everysec',
  want: 'always',
  level: 'risk',
  loss: { process: 'nothing', machine: 'second' },
  detail: 'It is everysec.',
};
const sound: Finding = { engine: 'redis', name: 'appendonly', value: 'yes', level: 'ok', loss: {}, detail: 'It is yes.' };

const show = (findings: Finding[], more: Partial<SystemReport> = {}) =>
  render(<LossTable report={{ checkedTime: '2026-11-21T08:00:05Z', findings, redis: [], clocks: [], ...more }} />, { wrapper: Surroundings });

test('a durability setting shows its losses and remedies', () => {
  show([sound, everysec]);
  // A safe setting has no row.
  expect(screen.getByRole('rowheader').textContent).toBe('Redis appendfsync');
  expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(['everysec', 'nothing', 'about one second', '', '', 'Set it to always.']);
});

test('unreadable settings are reported', () => {
  show([{ engine: 'redis', node: 2, name: 'appendfsync', level: 'unknown', loss: { machine: 'unknown' }, detail: 'It cannot be read.' }]);
  expect(screen.getByRole('rowheader').textContent).toBe('Redis node 2 appendfsync');
  expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(['Not readable', '', 'unknown', '', '', 'Ask your provider.']);
});

test('a configuration without possible losses says so', () => {
  show([sound]);
  expect(screen.getByText('All settings satisfy the promises.')).toBeTruthy();
  expect(screen.queryByRole('table')).toBeNull();
});

test('memory is shown with its limit, clocks with their accuracy', () => {
  show([sound], {
    redis: [{ usedBytes: 5_200_000, limitBytes: 268_435_456, evictedKeys: 7 }],
    clocks: [{ engine: 'database', skewSeconds: -1.25, errorSeconds: 0.0004 }],
  });
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Redis uses 5.2 of 268.4 MB7 keys evicted',
    'Database: clock −1.250 s (± 0.4 ms)',
  ]);
});

test.each([
  [{ engine: 'redis', name: 'redis', level: 'broken' }, 'see'],
  [{ engine: 'redis', name: 'replicas', level: 'risk' }, 'bound'],
  [{ engine: 'redis', name: 'replicas', want: '1', level: 'broken' }, 'back'],
  [{ engine: 'database', name: 'replicas', level: 'risk' }, 'semiSync'],
  [{ engine: 'redis', name: 'memory', level: 'risk' }, 'grow'],
  [{ engine: 'database', name: 'clock', level: 'risk' }, 'synchronise'],
  [{ engine: 'database', name: 'read_only', want: 'OFF', level: 'broken' }, 'writes'],
  [{ engine: 'database', name: 'wsrep_cluster_status', want: 'Primary', level: 'broken' }, 'majority'],
  [{ engine: 'database', name: 'wsrep_cluster_size', want: '3', level: 'risk' }, 'third'],
  [{ engine: 'database', name: 'writers', want: '1', level: 'risk' }, 'oneWriter'],
  [{ engine: 'database', name: 'servers', want: '1', level: 'risk' }, 'oneServer'],
  [{ engine: 'database', name: 'isolation', want: 'READ-COMMITTED', level: 'broken' }, 'session'],
  [{ engine: 'database', name: 'wsrep_sync_wait', want: '7', level: 'broken' }, 'session'],
  [{ engine: 'database', name: 'wsrep_sync_wait', level: 'unknown' }, 'ask'],
  [{ engine: 'database', name: 'storage_engine', want: 'InnoDB', level: 'broken' }, 'convert'],
  [{ engine: 'database', name: 'version', level: 'risk' }, 'untried'],
  [{ engine: 'database', name: 'pc.ignore_sb', want: 'false', level: 'broken' }, 'set'],
  [{ engine: 'database', name: 'check_constraint_checks', want: 'ON', level: 'risk' }, 'set'],
  [{ engine: 'database', name: 'something new', level: 'risk' }, 'look'],
] as const)('%j is summarized as %s', (finding, advice) => {
  expect(adviceOf({ ...finding, loss: {}, detail: '' })).toBe(advice);
});
