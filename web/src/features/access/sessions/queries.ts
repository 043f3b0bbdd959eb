import { api, pages, resource, type components } from '@/api';

/** A session that has not ended. */
export type OpenSession = components['schemas']['OpenSession'];

const sessions = resource('/api/v1/sessions');
const pageSize = 50;
/** The refresh interval in ms: starts and uses of sessions are not announced. */
export const reread = 30_000;

/**
 * The open sessions of a user, newest first. Announced changes of the user, such as a new password,
 * invalidate this query, since they end sessions.
 */
export const openSessions = (userId: number) =>
  pages(['users', 'one', String(userId), 'sessions'], (cursor, signal) => sessions.list({ userId, limit: pageSize, cursor }, signal));

export const { remove: endSession } = sessions;

/** Ends all sessions of the user except the current one. */
export function endOtherSessions() {
  return api.DELETE('/api/v1/sessions');
}
