import { useQueryClient } from '@tanstack/react-query';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { useConfirm, useKeyedAction, useToasts, When } from '@/ui';
import { tokenMessages } from './messages';
import { oneToken, revokeToken, type Token } from './queries';

/** Revokes a token after a confirmation. */
export function useRevoke(token: Token, onRevoked: () => void): { ask: () => Promise<void>; isSending: boolean; isUnknown: boolean } {
  const t = useText(tokenMessages);
  const confirm = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const { id, name, etag, lastUsedTime } = token;
  const leave = (message: string) => {
    onRevoked();
    queries.removeQueries({ queryKey: oneToken(id).queryKey });
    toasts.done(message);
  };
  const revoke = useKeyedAction({
    scope: `tokens/${id}/revoke`,
    title: `${t('revoke')} · ${name}`,
    topics: ['tokens'],
    send: (guard: string) => revokeToken(id, guard),
    onDone: () => leave(t('revoked', { name })),
    onRejected: (error) => (isProblem(error, 'not_found') ? leave(t('alreadyRevoked', { name })) : toasts.failed(error)),
  });
  return {
    ask: async () => {
      const body = (
        <>
          {t('revokeBody')} {lastUsedTime === null ? t('revokeUnused') : t.rich('revokeUsed', { when: <When time={lastUsedTime} /> })}
        </>
      );
      if ((await confirm({ title: t('revokeQuestion', { name }), body, confirm: t('revoke'), tone: 'bad' })) !== undefined) revoke.run(etag);
    },
    isSending: revoke.outcome === 'sending',
    isUnknown: revoke.outcome === 'unknown',
  };
}
