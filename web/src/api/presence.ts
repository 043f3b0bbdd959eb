import { origin } from './client';
import { sessionStore } from './session';
import { transport } from './transport';

const send = transport(sessionStore);

/** Says that this user is on a record, and on which field. The service forgets it by itself. */
export async function announcePresence(resource: string, field: string | undefined, signal: AbortSignal): Promise<void> {
  await send(
    new Request(`${origin}/api/v1/presence`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(field === undefined ? { resource } : { resource, field }),
      signal,
    }),
  );
}
