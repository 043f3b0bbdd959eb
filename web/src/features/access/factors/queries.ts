import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, type components } from '@/api';

export type Factor = components['schemas']['Factor'];
export type FactorKind = components['schemas']['FactorKind'];
export type FactorProof = components['schemas']['FactorProof'];
export type FactorSetup = components['schemas']['FactorSetup'];
export type ConfirmedFactor = components['schemas']['ConfirmedFactor'];

/** The second factors of the signed-in user. Announced changes of the user invalidate this query. */
export function myFactors(id: number) {
  return queryOptions({
    queryKey: ['users', 'one', String(id), 'factors'],
    queryFn: ({ signal }) => data(api.GET('/api/v1/me/factors', { signal })),
  });
}

/** Sent without a key, since the service stores no reply with a secret. A new registration voids the pending one. */
export function beginFactor(kind: FactorKind, name: string, password: string | undefined): Promise<FactorSetup> {
  return data(api.POST('/api/v1/me/factors', { body: { kind, name, password } }));
}

/** Sent without a key, since the service stores no reply with recovery codes. A factor is confirmed at most once. */
export function confirmFactor(id: number, proof: FactorProof): Promise<ConfirmedFactor> {
  return data(api.POST('/api/v1/me/factors/{id}/confirm', { params: { path: { id } }, body: proof }));
}

/** Renames a factor, provided that it still has the displayed name. */
export function renameFactor(id: number, from: string, name: string, key: string): Promise<Factor> {
  return data(api.POST('/api/v1/me/factors/{id}/rename', { params: { path: { id }, header: idempotent(key) }, body: { from, name } }));
}

export function removeFactor(id: number) {
  return api.DELETE('/api/v1/me/factors/{id}', { params: { path: { id } } });
}

/** Sent without a key, since the service stores no reply with recovery codes. A retry generates new codes. */
export async function replaceRecoveryCodes(): Promise<string[]> {
  return (await data(api.POST('/api/v1/me/factors/recovery-codes'))).recoveryCodes;
}
