import { randomId } from '@/browser/id';
import { tab } from '@/browser/tab';
import { sessionStore } from './session';
import type { components } from './schema';

type Others = components['schemas']['Others']['others'];

const address = '/api/v1/presence';
/** How long a heartbeat may take, in ms: the next one is due by then. */
const patience = 5_000;

/**
 * Says that this tab is on a record, and on which field; the service forgets it by
 * itself. Returns who else is there; undefined where that is not known. Nothing is sent
 * while nobody is signed in, and nothing waits for that.
 */
export async function announcePresence(resource: string, field: string | undefined, signal: AbortSignal): Promise<Others | undefined> {
  const response = await tell(
    { resource, tab, ...(field === undefined ? {} : { field }) },
    { signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) },
  );
  if (response?.status === 401) void sessionStore.expired();
  if (response?.ok !== true) return undefined;
  return ((await response.json()) as components['schemas']['Others']).others;
}

/** Says that this tab has left a record. Nobody waits for it. */
export function announceLeaving(resource: string): void {
  void tell({ resource, tab, leaving: true }, { keepalive: true });
}

async function tell(body: object, init: RequestInit): Promise<Response | undefined> {
  if (sessionStore.state().status !== 'in') return undefined;
  const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': sessionStore.csrfToken ?? '', 'X-Request-Id': randomId() };
  try {
    return await fetch(address, { ...init, method: 'POST', headers, body: JSON.stringify(body), credentials: 'same-origin' });
  } catch {
    return undefined;
  }
}
