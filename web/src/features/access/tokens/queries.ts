import { resource, type components } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Token = components['schemas']['Token'];
/** The reply to the creation of a token: with its secret, or with `secretShownOnce` in a replay. */
export type CreatedToken = components['schemas']['CreatedToken'];
export type NewToken = components['schemas']['TokenCreate'];

export interface TokenSearch extends TableSearch {
  /** The user that the tokens act as. */
  userId?: number;
  /** The open token. */
  open?: number;
}

export const { list: readTokens, one: oneToken, create: createToken, remove: revokeToken } = resource('/api/v1/tokens');
