import { namesIn } from '../sets';
import type { NewToken } from './queries';

/** The possible lifetimes of a token in days; the service's default is 90. */
export const lifetimes = ['7', '30', '90', '180', '365'] as const;
const usual = '90';

export type TokenForm = {
  name: string;
  /** The user of the token; null for the current user. */
  userId: number | null;
  /** Whether the token gets the chosen scopes or all permissions of its user. */
  rights: 'chosen' | 'all';
  /** A serialized set, see sets.ts. */
  scopes: string;
  lasts: (typeof lifetimes)[number] | 'other';
  /** The expiry, if a time is chosen. */
  until: string | null;
};

export type TokenField = 'name' | 'scopes' | 'expiresTime';

export type TokenFault = 'nameNeeded' | 'scopesNeeded' | 'untilNeeded';

const day = 86_400_000;

export const blankToken: TokenForm = { name: '', userId: null, rights: 'chosen', scopes: '', lasts: usual, until: null };

/** Whether the token gets chosen scopes. A token for another user never gets all permissions. */
export const hasScopes = ({ rights, userId }: Pick<TokenForm, 'rights' | 'userId'>): boolean => rights === 'chosen' || userId !== null;

/** Returns the fault of a field that the browser finds without the service; `now` is in ms since 1970. */
export function faultOf(form: TokenForm, field: TokenField, now: number): TokenFault | undefined {
  switch (field) {
    case 'name':
      return form.name.trim() === '' ? 'nameNeeded' : undefined;
    case 'scopes':
      return hasScopes(form) && form.scopes === '' ? 'scopesNeeded' : undefined;
    case 'expiresTime':
      return form.lasts === 'other' && (form.until === null || Date.parse(form.until) <= now) ? 'untilNeeded' : undefined;
  }
}

export const isComplete = (form: TokenForm, now: number): boolean =>
  (['name', 'scopes', 'expiresTime'] as const).every((field) => faultOf(form, field, now) === undefined);

/** The body of the request. Omitted scopes grant all permissions; an omitted expiry means the default lifetime. */
export function requestOf(form: TokenForm, now: number): NewToken {
  const { name, userId, scopes, lasts, until } = form;
  const ends = lasts === 'other' ? until : lasts === usual ? null : new Date(now + Number(lasts) * day).toISOString();
  return {
    name: name.trim(),
    ...(userId !== null && { userId }),
    ...(hasScopes(form) && { scopes: namesIn(scopes) }),
    ...(ends !== null && { expiresTime: ends }),
  };
}
