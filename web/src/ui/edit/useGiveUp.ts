import { useText } from '@/i18n';
import { useConfirm } from '../feedback/confirm';
import { editMessages } from './messages';

/** Asks whether to give up a request whose outcome is unknown. */
export function useGiveUp(): () => Promise<boolean> {
  const t = useText(editMessages);
  const ask = useConfirm();
  return async () => (await ask({ title: t('giveUpTitle'), body: t('giveUpBody'), confirm: t('askNoMore'), tone: 'bad' })) !== undefined;
}
