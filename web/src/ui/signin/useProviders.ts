import { useQuery } from '@tanstack/react-query';
import { listProviders, useSession, type Provider } from '@/api';

/** The providers of single sign-on of a tenant, none until they are known. They are settings, and change with a restart. */
export function useProviders(tenant: string): readonly Provider[] {
  const { data } = useQuery({
    queryKey: ['providers', tenant],
    queryFn: ({ signal }) => listProviders(tenant, signal),
    staleTime: 60_000,
    retry: false,
  });
  return data ?? [];
}

/** Those of the tenant that one works in. */
export function useOwnProviders(): readonly Provider[] {
  const state = useSession();
  return useProviders('session' in state ? state.session.tenant : '');
}
