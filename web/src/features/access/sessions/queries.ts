import { api, pages, resource, type components } from '@/api';

/** A session that has not ended. */
export type OpenSession = components['schemas']['OpenSession'];

const sessions = resource('/api/v1/sessions');
const pageSize = 50;
/** The refresh interval in ms. It is needed because the service does not announce new sessions and their use. */
export const reread = 30_000;

/**
 * The open sessions of a user, newest first. The query is invalidated when the service announces a
 * change of the user, such as a new password, which ends sessions.
 */
export const openSessions = (userId: number) =>
  pages(['users', 'one', String(userId), 'sessions'], (cursor, signal) => sessions.list({ userId, limit: pageSize, cursor }, signal));

export const { remove: endSession } = sessions;

/** Ends all sessions of the user except the current one. */
export function endOtherSessions() {
  return api.DELETE('/api/v1/sessions');
}
