import { randomId } from '@/browser/id';
import { tab } from '@/browser/tab';
import { sessionStore } from './session';
import type { components } from './schema';

type Others = components['schemas']['Others']['others'];

const address = '/api/v1/presence';
/** The timeout of a heartbeat, in ms. The next heartbeat is due by then. */
const patience = 5_000;

/**
 * Reports to the service that this tab shows a record, and which of its fields has the focus. The
 * service expires the entry automatically. Returns the other users on the record, or undefined if
 * they are unknown. Without a session it sends nothing.
 */
export async function announcePresence(resource: string, field: string | undefined, signal: AbortSignal): Promise<Others | undefined> {
  const response = await tell(
    { resource, tab, ...(field === undefined ? {} : { field }) },
    { signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) },
  );
  if (response?.status === 401) void sessionStore.expired();
  if (response?.ok !== true) return undefined;
  try {
    return ((await response.json()) as components['schemas']['Others']).others;
  } catch {
    // The user left the page, or the connection broke while the reply arrived.
    return undefined;
  }
}

/** Reports that this tab has left a record. Does not wait for the reply. */
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
