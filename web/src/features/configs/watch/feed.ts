import type { ConfigEvent } from '../queries';

/** How many lines a feed holds. */
export const mostLines = 300;

/** A change, or a place where changes are missing because they are too old to be sent again. */
export type FeedLine = { kind: 'change'; event: ConfigEvent } | { kind: 'gone'; revision: string };

/** What a feed shows, newest first, and what arrived while it was paused. */
export interface Feed {
  lines: readonly FeedLine[];
  held: readonly FeedLine[];
  paused: boolean;
  /** The newest revision that is known; undefined before the stream stands. */
  revision: string | undefined;
}

export const emptyFeed: Feed = { lines: [], held: [], paused: false, revision: undefined };

/** Takes one event of the stream. Of a line that was sent twice the first counts. */
export function received(feed: Feed, name: string, text: string): Feed {
  const body = JSON.parse(text) as { revision: string };
  const { revision } = body;
  if (name === 'ready') return { ...feed, revision };
  const line: FeedLine | undefined =
    name === 'change' ? { kind: 'change', event: body as ConfigEvent } : name === 'gone' ? { kind: 'gone', revision: body.revision } : undefined;
  if (line === undefined || [...feed.held, ...feed.lines].some((known) => idOf(known) === idOf(line))) return feed;
  return feed.paused ? { ...feed, revision, held: cut([line, ...feed.held]) } : { ...feed, revision, lines: cut([line, ...feed.lines]) };
}

/** Stops the lines, or shows what arrived meanwhile. */
export function paused(feed: Feed, stop: boolean): Feed {
  return stop ? { ...feed, paused: true } : { ...feed, paused: false, held: [], lines: cut([...feed.held, ...feed.lines]) };
}

export function cleared(feed: Feed): Feed {
  return { ...feed, lines: [], held: [] };
}

export const idOf = (line: FeedLine): string => `${line.kind}${line.kind === 'change' ? line.event.revision : line.revision}`;

/** The number of a revision among the changes of all configs, as people are shown it. */
export const placeOf = (revision: string): string => revision.slice(revision.lastIndexOf('-') + 1);

const cut = (lines: readonly FeedLine[]): readonly FeedLine[] => lines.slice(0, mostLines);
