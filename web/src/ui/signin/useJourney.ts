import { useMutation } from '@tanstack/react-query';

/**
 * Asks where a provider is, for what somebody wants there, and goes. Until the browser comes
 * back nothing is changed, so that nothing of it is kept, and it can be asked for anew.
 */
export function useJourney<V>(ask: (request: V) => Promise<string>, onLeave?: () => void) {
  return useMutation({
    mutationFn: ask,
    onSuccess: (location) => {
      onLeave?.();
      window.location.assign(location);
    },
  });
}
