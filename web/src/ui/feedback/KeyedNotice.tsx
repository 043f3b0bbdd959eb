import { useText } from '@/i18n';
import type { KeyedForm } from '../edit/useKeyedForm';
import { uiMessages } from '../messages';
import { Banner } from './Banner';
import { OutcomeNotice } from './OutcomeNotice';

/** What is known of the outcome of a form that is sent once: being checked, or still open. */
export function KeyedNotice({ keyed }: { keyed: Pick<KeyedForm<object>, 'key' | 'isOpen'> }) {
  const t = useText(uiMessages);
  if (!keyed.isOpen) return <OutcomeNotice requestKey={keyed.key} />;
  return (
    <Banner tone="warn" title={t('stillUnknown')}>
      {t('stillUnknownHint')}
    </Banner>
  );
}
