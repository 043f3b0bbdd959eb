import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, resource, type components } from '@/api';

export type Factor = components['schemas']['Factor'];
export type FactorKind = components['schemas']['FactorKind'];
export type FactorProof = components['schemas']['FactorProof'];
export type FactorSetup = components['schemas']['AppSetup' | 'PasskeySetup'];
export type IssuedCodes = components['schemas']['RecoveryCodes'];
export type ConfirmedFactor = components['schemas']['ConfirmedFactor'];

const factors = resource('/api/v1/me/factors');

/** The second factors of the signed-in user. The query is invalidated when the service announces a change of the user. */
export const myFactors = (id: number) => queryOptions({ queryKey: ['users', 'one', String(id), 'factors'], queryFn: ({ signal }) => factors.list({}, signal) });

/**
 * `beginFactor` starts a registration and cancels the pending one. A replayed reply has
 * `secretShownOnce` instead of the secret of an authenticator app.
 */
export const { create: beginFactor, remove: removeFactor } = factors;

/** Confirms a registration. A replayed reply has `secretShownOnce` instead of the recovery codes. */
export const confirmFactor = (id: number, body: FactorProof, key: string) => factors.act(id, 'confirm', { body, key });

/** Renames a factor if its current name is `from`. */
export const renameFactor = (id: number, from: string, name: string, key: string) => factors.act(id, 'rename', { body: { from, name }, key });

/** Replaces the recovery codes. A replayed reply has `secretShownOnce` instead of the codes. */
export function replaceRecoveryCodes(key: string): Promise<IssuedCodes> {
  return data(api.POST('/api/v1/me/factors/recovery-codes', { headers: idempotent(key) }));
}
