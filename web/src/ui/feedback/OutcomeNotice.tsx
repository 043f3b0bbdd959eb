import { useDoubt } from '@/api';
import { useText } from '@/i18n';
import { uiMessages } from '../messages';
import { Banner } from './Banner';

/** Says of the request with a key that it is being repeated, and why; nothing while it is not. */
export function OutcomeNotice({ requestKey }: { requestKey: string }) {
  const t = useText(uiMessages);
  const doubt = useDoubt(requestKey);
  if (doubt === undefined) return null;
  return (
    <Banner tone="info" title={t(doubt)}>
      {doubt === 'checking' ? t('checkingHint') : undefined}
    </Banner>
  );
}
