import { queryOptions } from '@tanstack/react-query';
import { api, data, type components } from '@/api';

export type Factor = components['schemas']['Factor'];
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
export function beginFactor(name: string, password: string | undefined): Promise<FactorSetup> {
  return data(api.POST('/api/v1/me/factors', { body: { kind: 'totp', name, password } }));
}

/** Is sent without a key, since no reply with recovery codes is kept; a factor is confirmed once. */
export function confirmFactor(id: number, code: string): Promise<ConfirmedFactor> {
  return data(api.POST('/api/v1/me/factors/{id}/confirm', { params: { path: { id } }, body: { code } }));
}

export function removeFactor(id: number) {
  return api.DELETE('/api/v1/me/factors/{id}', { params: { path: { id } } });
}

/** Is sent without a key, since no reply with recovery codes is kept; asking again makes them anew. */
export async function replaceRecoveryCodes(): Promise<string[]> {
  return (await data(api.POST('/api/v1/me/factors/recovery-codes'))).recoveryCodes;
}
