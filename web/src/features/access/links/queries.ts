import { queryOptions } from '@tanstack/react-query';
import { api, data, type components } from '@/api';

export type Link = components['schemas']['Link'];

/**
 * The linked provider accounts of the signed-in user or of another user. The query is invalidated
 * when the service announces a change of the user.
 */
export function linksOf(userId: number, isOwn: boolean) {
  return queryOptions({
    queryKey: ['users', 'one', String(userId), 'links'],
    queryFn: async ({ signal }): Promise<Link[]> =>
      (await data(isOwn ? api.GET('/api/v1/me/links', { signal }) : api.GET('/api/v1/users/{id}/links', { params: { path: { id: userId } }, signal }))).items,
  });
}

/** Sent without a key: each reply contains a new redirect to the provider. */
export async function beginLink(provider: string, password: string | undefined): Promise<string> {
  return (await data(api.POST('/api/v1/me/links', { body: { provider, password } }))).location;
}

export function removeLink(userId: number, isOwn: boolean, id: number) {
  if (isOwn) return api.DELETE('/api/v1/me/links/{id}', { params: { path: { id } } });
  return api.DELETE('/api/v1/users/{id}/links/{linkId}', { params: { path: { id: userId, linkId: id } } });
}
