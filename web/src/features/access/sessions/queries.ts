import { api, data, pages, type components } from '@/api';

/** A session that has not ended. */
export type OpenSession = components['schemas']['OpenSession'];

const pageSize = 50;
/** How often they are read again, in ms: that one begins or is used is not announced. */
export const reread = 30_000;

/** The open sessions of a user, newest first. What is announced of the user, such as a new password, ends sessions. */
export const openSessions = (userId: number) =>
  pages(['users', 'one', String(userId), 'sessions'], (cursor, signal) =>
    data(api.GET('/api/v1/sessions', { params: { query: { userId, limit: pageSize, cursor } }, signal })),
  );

export function endSession(id: number) {
  return api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } });
}

/** Ends all of one's own sessions but the one that asks. */
export function endOtherSessions() {
  return api.DELETE('/api/v1/sessions');
}
