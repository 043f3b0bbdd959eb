import { useMutation } from '@tanstack/react-query';

/**
 * Requests the URL of a provider and redirects the browser. The service changes nothing until the
 * browser returns, so the request is not stored and can be repeated.
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
