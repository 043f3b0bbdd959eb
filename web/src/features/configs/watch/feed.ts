import type { ConfigEvent } from '../queries';

export const maxLines = 300;

/** A change, or a gap: missed changes that are too old for the service to send again. */
export type FeedLine = { kind: 'change'; event: ConfigEvent } | { kind: 'gone'; revision: string };

/** The displayed lines, newest first, and the lines that arrived while the feed was paused. */
export interface Feed {
  lines: readonly FeedLine[];
  held: readonly FeedLine[];
  paused: boolean;
  /** The latest known revision; undefined before the stream is connected. */
  revision: string | undefined;
}

export const emptyFeed: Feed = { lines: [], held: [], paused: false, revision: undefined };

/** Adds one event of the stream. Duplicate lines are ignored. */
export function received(feed: Feed, name: string, text: string): Feed {
  const body = JSON.parse(text) as { revision: string };
  const { revision } = body;
  if (name === 'ready') return { ...feed, revision };
  const line: FeedLine | undefined =
    name === 'change' ? { kind: 'change', event: body as ConfigEvent } : name === 'gone' ? { kind: 'gone', revision: body.revision } : undefined;
  if (line === undefined || [...feed.held, ...feed.lines].some((known) => idOf(known) === idOf(line))) return feed;
  return feed.paused ? { ...feed, revision, held: cut([line, ...feed.held]) } : { ...feed, revision, lines: cut([line, ...feed.lines]) };
}

/** Pauses the feed, or shows the lines that arrived during the pause. */
export function paused(feed: Feed, stop: boolean): Feed {
  return stop ? { ...feed, paused: true } : { ...feed, paused: false, held: [], lines: cut([...feed.held, ...feed.lines]) };
}

export function cleared(feed: Feed): Feed {
  return { ...feed, lines: [], held: [] };
}

export const idOf = (line: FeedLine): string => `${line.kind}${line.kind === 'change' ? line.event.revision : line.revision}`;

/** The sequence number of a revision among the changes of all configs, for display. */
export const placeOf = (revision: string): string => revision.slice(revision.lastIndexOf('-') + 1);

const cut = (lines: readonly FeedLine[]): readonly FeedLine[] => lines.slice(0, maxLines);
