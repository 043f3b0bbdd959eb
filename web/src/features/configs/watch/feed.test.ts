import { expect, test } from 'vitest';
import { cleared, emptyFeed, maxLines, paused, placeOf, received, type Feed } from './feed';

const change = (revision: number) =>
  JSON.stringify({
    revision: `e-1-${revision}`,
    key: `k${revision}`,
    version: 1,
    etag: '"1"',
    action: 'update',
    changedBy: { id: 7, name: 'Li' },
    changedTime: '2026-01-31T09:30:00.000000Z',
  });
const revisions = (feed: Feed) => feed.lines.map((line) => (line.kind === 'change' ? Number(placeOf(line.event.revision)) : -Number(placeOf(line.revision))));

test('changes are listed newest first, each once', () => {
  let feed = received(emptyFeed, 'ready', '{"revision":"e-1-4"}');
  for (const revision of [5, 6, 6]) feed = received(feed, 'change', change(revision));
  expect(revisions(feed)).toEqual([6, 5]);
  expect(feed.revision).toBe('e-1-6');
});

test('changes during a pause are queued', () => {
  const stopped = received(received(paused(received(emptyFeed, 'change', change(1)), true), 'change', change(2)), 'change', change(3));
  expect(revisions(stopped)).toEqual([1]);
  expect(stopped.held).toHaveLength(2);
  const going = paused(stopped, false);
  expect(revisions(going)).toEqual([3, 2, 1]);
  expect(going.held).toEqual([]);
});

test('a gap of missing changes is marked', () => {
  const feed = received(received(received(emptyFeed, 'change', change(1)), 'gone', '{"revision":"e-1-900"}'), 'change', change(901));
  expect(revisions(feed)).toEqual([901, -900, 1]);
});

test('the feed is bounded, and clearing preserves its cursor', () => {
  let feed = emptyFeed;
  for (let revision = 1; revision <= maxLines + 5; revision++) feed = received(feed, 'change', change(revision));
  expect(feed.lines).toHaveLength(maxLines);
  expect(cleared(feed)).toMatchObject({ lines: [], revision: `e-1-${maxLines + 5}` });
});
