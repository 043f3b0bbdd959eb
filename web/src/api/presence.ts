import { origin } from './client';
import { randomId } from '@/browser/id';
import { sessionStore } from './session';
import { transport } from './transport';

const send = transport(sessionStore);
/** Tells this tab from the others of the same person: one that closes does not take them along. */
const tab = randomId();

/** Says that this user is on a record, and on which field. The service forgets it by itself. */
export async function announcePresence(resource: string, field: string | undefined, signal: AbortSignal): Promise<void> {
  await send(
    new Request(`${origin}/api/v1/presence`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(field === undefined ? { resource, tab } : { resource, tab, field }),
      signal,
    }),
  );
}

/** Says that this tab has left a record. Nobody waits for it. */
export function announceLeaving(resource: string): void {
  void send(
    new Request(`${origin}/api/v1/presence`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ resource, tab, leaving: true }),
      keepalive: true,
    }),
  ).catch(() => undefined);
}
