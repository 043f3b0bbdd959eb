import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, resource, type components } from '@/api';

export type Factor = components['schemas']['Factor'];
export type FactorKind = components['schemas']['FactorKind'];
export type FactorProof = components['schemas']['FactorProof'];
export type FactorSetup = components['schemas']['AppSetup' | 'PasskeySetup'];
export type IssuedCodes = components['schemas']['RecoveryCodes'];
export type ConfirmedFactor = components['schemas']['ConfirmedFactor'];

const factors = resource('/api/v1/me/factors');

/** The second factors of the signed-in user. Announced changes of the user invalidate this query. */
export const myFactors = (id: number) => queryOptions({ queryKey: ['users', 'one', String(id), 'factors'], queryFn: ({ signal }) => factors.list({}, signal) });

/**
 * `create` begins a registration, which voids the pending one. In a replay, `secretShownOnce`
 * replaces the secret of an app.
 */
export const { create: beginFactor, remove: removeFactor } = factors;

/** In a replay, `secretShownOnce` replaces the recovery codes. */
export const confirmFactor = (id: number, body: FactorProof, key: string) => factors.act(id, 'confirm', { body, key });

/** Renames a factor, provided that it still has the displayed name. */
export const renameFactor = (id: number, from: string, name: string, key: string) => factors.act(id, 'rename', { body: { from, name }, key });

/** In a replay, `secretShownOnce` replaces the codes. */
export function replaceRecoveryCodes(key: string): Promise<IssuedCodes> {
  return data(api.POST('/api/v1/me/factors/recovery-codes', { headers: idempotent(key) }));
}
