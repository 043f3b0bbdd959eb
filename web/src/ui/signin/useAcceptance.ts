import { useMutation } from '@tanstack/react-query';
import { acceptByProvider, acceptInvitation, type Challenge } from '@/api';
import { useJourney } from './useJourney';

/**
 * Accepts an invitation with a password, which starts a session. Nothing is stored as a draft,
 * since an invitation can be used once.
 */
export function useAcceptance(invitation: string, onAccepted: (challenge: Challenge | undefined) => void) {
  return useMutation({ mutationFn: (password: string) => acceptInvitation(invitation, password), onSuccess: onAccepted });
}

/** Redirects to a provider to accept an invitation. */
export const useProviderAcceptance = (invitation: string) => useJourney((provider: string) => acceptByProvider(invitation, provider));
