export { api, asEdit, asTyped, data, exactly, idempotent } from './client';
export { isCustomerId } from './customer';
export { useDoubt, useLive, useLiveState, useMay, useOwner, useReplays, useSession, useStepUp, useTenant, useUser } from './hooks';
export { configFeed, liveStream, onBegin, onReconnect, type Topic } from './live';
export { navigation, type Menu } from './navigation';
export { pages } from './pages';
export { resource } from './resource';
export { announceLeaving, announcePresence } from './presence';
export {
  ApiProblem,
  isProblem,
  isUnknown,
  keyExpired,
  orMissing,
  otherIdentity,
  transitionRejected,
  versionConflict,
  winnerOf,
  type FieldProblem,
  type PersonName,
  type ProblemCode,
  type Winner,
} from './problem';
export { proposalOf, votesLeft, type Approval } from './proposal';
export { followLive, newQueryClient } from './queries';
export { attempts } from './retry';
export type { components, operations } from './schema';
export { sessionStore, type Session } from './session';
export {
  acceptByProvider,
  acceptInvitation,
  arrive,
  beginStepUp,
  checkInvitation,
  finishSignIn,
  followSession,
  lastTenant,
  listProviders,
  loadSession,
  providerAddress,
  signIn,
  signOut,
  stepUp,
  type Challenge,
  type FactorMethod,
  type Invited,
  type Provider,
  type ShownFactor,
} from './signIn';
export { stepUpQuestion } from './stepUp';
export { previewImport, type ImportKind, type ImportPreview, type ImportQuery } from './imports';
export { overview, type Overview } from './overview';
export type { LiveStatus } from './stream';
