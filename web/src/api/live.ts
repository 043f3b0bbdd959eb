import { sessionStore } from './session';
import type { components } from './schema';
import { SharedStream } from './stream';

export type Topic = components['schemas']['EventTopic'];

/** A change that the service announces. It is a hint: receivers read the data again. */
export interface LiveEvent {
  topic: Topic;
  /** The key of the changed record within the topic, such as an order's id; '' if the event concerns many records. */
  key: string;
  /** The complete payload, as the contract defines it: version, etag, action, changedBy, people… */
  payload: Readonly<Record<string, unknown>>;
}

/** The changes of all users, as they happen, on every topic that the user may read. */
export const liveStream = new SharedStream({
  name: 'live',
  address: '/api/v1/events',
  sessions: sessionStore,
  resumes: true,
});

/** Every change of a config, without gaps. */
export const configFeed = new SharedStream({ name: 'configs', address: '/api/v1/configs/watch', sessions: sessionStore, resumes: true });

/** Events about the stream itself, not about a change. */
const ofTheStream = new Set(['ready', 'lagged']);

/** Calls the handler for each event of a topic, `*` for all topics, undefined for none. The returned function unsubscribes. */
export function onLive(topic: Topic | '*' | undefined, handler: (event: LiveEvent) => void, stream = liveStream): () => void {
  return stream.onEvent(({ event, data }) => {
    if (ofTheStream.has(event) || (topic !== '*' && topic !== event)) return;
    const payload = JSON.parse(data) as Record<string, unknown>;
    handler({ topic: event as Topic, key: typeof payload.key === 'string' ? payload.key : '', payload });
  });
}

/** Calls the handler whenever the stream becomes live or the browser comes online. The returned function unsubscribes. */
export function onReconnect(handler: () => void, stream = liveStream): () => void {
  let wasLive = stream.state().status === 'live';
  const stop = stream.subscribe(() => {
    const isLive = stream.state().status === 'live';
    if (isLive && !wasLive) handler();
    wasLive = isLive;
  });
  window.addEventListener('online', handler);
  return () => {
    stop();
    window.removeEventListener('online', handler);
  };
}

/**
 * Calls the handler whenever the stream restarts, and passes whether the new stream carries other
 * topics. The first stream of a tab does not count. The returned function unsubscribes.
 */
export function onBegin(handler: (otherTopics: boolean) => void, stream = liveStream): () => void {
  let carried: string | undefined;
  return stream.onEvent(({ event, data }) => {
    if (event !== 'ready') return;
    const before = carried;
    carried = data;
    if (before !== undefined) handler(before !== data);
  });
}
