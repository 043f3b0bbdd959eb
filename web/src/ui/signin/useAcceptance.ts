import { useMutation } from '@tanstack/react-query';
import { acceptByProvider, acceptInvitation, type Challenge } from '@/api';
import { useJourney } from './useJourney';

/** Accepts an invitation with a password. It begins a session as a sign-in does: nothing of it is kept, and it is good once. */
export function useAcceptance(invitation: string, onAccepted: (challenge: Challenge | undefined) => void) {
  return useMutation({ mutationFn: (password: string) => acceptInvitation(invitation, password), onSuccess: onAccepted });
}

/** Goes to a provider to accept an invitation by it. */
export const useProviderAcceptance = (invitation: string) => useJourney((provider: string) => acceptByProvider(invitation, provider));
