import { useQuery } from '@tanstack/react-query';
import { listProviders, useSession, type Provider } from '@/api';

/**
 * The single sign-on providers of a tenant; empty until they are loaded. They are part of the
 * service's configuration and change with a restart.
 */
export function useProviders(tenant: string): readonly Provider[] {
  const { data } = useQuery({
    queryKey: ['providers', tenant],
    queryFn: ({ signal }) => listProviders(tenant, signal),
    staleTime: 60_000,
    retry: false,
  });
  return data ?? [];
}

/** The providers of the session's tenant. */
export function useOwnProviders(): readonly Provider[] {
  const state = useSession();
  return useProviders('session' in state ? state.session.tenant : '');
}
