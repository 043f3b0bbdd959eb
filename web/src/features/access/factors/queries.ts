import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, type components } from '@/api';

export type Factor = components['schemas']['Factor'];
export type FactorKind = components['schemas']['FactorKind'];
export type FactorProof = components['schemas']['FactorProof'];
export type FactorSetup = components['schemas']['FactorSetup'];
export type ConfirmedFactor = components['schemas']['ConfirmedFactor'];

/** One's own second factors. They are read again with what is announced of the user. */
export function myFactors(id: number) {
  return queryOptions({
    queryKey: ['users', 'one', String(id), 'factors'],
    queryFn: ({ signal }) => data(api.GET('/api/v1/me/factors', { signal })),
  });
}

/** Is sent without a key, since no reply with a secret is kept; one that was begun before is void. */
export function beginFactor(kind: FactorKind, name: string, password: string | undefined): Promise<FactorSetup> {
  return data(api.POST('/api/v1/me/factors', { body: { kind, name, password } }));
}

/** Is sent without a key, since no reply with recovery codes is kept; a factor is confirmed once. */
export function confirmFactor(id: number, proof: FactorProof): Promise<ConfirmedFactor> {
  return data(api.POST('/api/v1/me/factors/{id}/confirm', { params: { path: { id } }, body: proof }));
}

/** Gives a factor another name than the one that it is seen with. */
export function renameFactor(id: number, from: string, name: string, key: string): Promise<Factor> {
  return data(api.POST('/api/v1/me/factors/{id}/rename', { params: { path: { id }, header: idempotent(key) }, body: { from, name } }));
}

export function removeFactor(id: number) {
  return api.DELETE('/api/v1/me/factors/{id}', { params: { path: { id } } });
}

/** Is sent without a key, since no reply with recovery codes is kept; asking again makes them anew. */
export async function replaceRecoveryCodes(): Promise<string[]> {
  return (await data(api.POST('/api/v1/me/factors/recovery-codes'))).recoveryCodes;
}
