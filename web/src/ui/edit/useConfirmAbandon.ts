import { useText } from '@/i18n';
import { useConfirm } from '../feedback/confirm';
import { editMessages } from './messages';

/** Prompts for confirmation before a request with an unknown outcome is abandoned. */
export function useConfirmAbandon(): () => Promise<boolean> {
  const t = useText(editMessages);
  const ask = useConfirm();
  return async () => (await ask({ title: t('abandonTitle'), body: t('abandonBody'), confirm: t('abandon'), tone: 'bad' })) !== undefined;
}
