import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, type components } from '@/api';

export type Factor = components['schemas']['Factor'];
export type FactorKind = components['schemas']['FactorKind'];
export type FactorProof = components['schemas']['FactorProof'];
export type FactorSetup = components['schemas']['AppSetup' | 'PasskeySetup'];
export type IssuedCodes = components['schemas']['RecoveryCodes'];
export type ConfirmedFactor = components['schemas']['ConfirmedFactor'];

/** The second factors of the signed-in user. Announced changes of the user invalidate this query. */
export function myFactors(id: number) {
  return queryOptions({
    queryKey: ['users', 'one', String(id), 'factors'],
    queryFn: ({ signal }) => data(api.GET('/api/v1/me/factors', { signal })),
  });
}

/** Begins a registration, which voids the pending one. In a replay, `secretShownOnce` replaces the secret of an app. */
export function beginFactor(kind: FactorKind, name: string, password: string | undefined, key: string): Promise<FactorSetup> {
  return data(api.POST('/api/v1/me/factors', { body: { kind, name, password }, headers: idempotent(key) }));
}

/** In a replay, `secretShownOnce` replaces the recovery codes. */
export function confirmFactor(id: number, proof: FactorProof, key: string): Promise<ConfirmedFactor> {
  return data(api.POST('/api/v1/me/factors/{id}/confirm', { params: { path: { id } }, body: proof, headers: idempotent(key) }));
}

/** Renames a factor, provided that it still has the displayed name. */
export function renameFactor(id: number, from: string, name: string, key: string): Promise<Factor> {
  return data(api.POST('/api/v1/me/factors/{id}/rename', { params: { path: { id }, header: idempotent(key) }, body: { from, name } }));
}

export function removeFactor(id: number) {
  return api.DELETE('/api/v1/me/factors/{id}', { params: { path: { id } } });
}

/** In a replay, `secretShownOnce` replaces the codes. */
export function replaceRecoveryCodes(key: string): Promise<IssuedCodes> {
  return data(api.POST('/api/v1/me/factors/recovery-codes', { headers: idempotent(key) }));
}
