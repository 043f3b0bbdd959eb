export { answer, api, asMergePatch, data, exactly, idempotent, type Answer } from './client';
export { isCustomerId } from './customer';
export { liveStream, useIdempotencyKey, useLive, useLiveState, useMay, useSession, useTenant, useUser, useDoubt, useReplays } from './hooks';
export { announceLeaving, announcePresence } from './presence';
export { attempts, Attempts, retrying, type Doubt } from './retry';
export type { LiveEvent, LiveState, LiveStatus } from './live';
export {
  ApiProblem,
  isProblem,
  keepsKey,
  transitionRefused,
  versionConflict,
  type FieldProblem,
  type PersonName,
  type ProblemCode,
  type TransitionRefused,
  type VersionConflict,
} from './problem';
export { followLive, newQueryClient } from './queries';
export type { components, operations, paths } from './schema';
export { followResumable } from './resume';
export { sessionStore, type Session, type SessionState, type SessionUser } from './session';
export { lastTenant, loadSession, signIn, signOut, type Credentials } from './signIn';
export { wasSentFromHere } from './transport';
