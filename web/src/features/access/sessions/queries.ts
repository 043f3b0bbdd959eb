import { api, data, pages, type components } from '@/api';

/** A session that has not ended. */
export type OpenSession = components['schemas']['OpenSession'];

const pageSize = 50;
/** The refresh interval in ms: starts and uses of sessions are not announced. */
export const reread = 30_000;

/**
 * The open sessions of a user, newest first. Announced changes of the user, such as a new password,
 * invalidate this query, since they end sessions.
 */
export const openSessions = (userId: number) =>
  pages(['users', 'one', String(userId), 'sessions'], (cursor, signal) =>
    data(api.GET('/api/v1/sessions', { params: { query: { userId, limit: pageSize, cursor } }, signal })),
  );

export function endSession(id: number) {
  return api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } });
}

/** Ends all sessions of the user except the current one. */
export function endOtherSessions() {
  return api.DELETE('/api/v1/sessions');
}
