import { Button } from '@mantine/core';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { uiMessages } from '../messages';
import { Banner } from './Banner';
import { useProblemText } from './useProblemText';

/** A request that failed: what happened, how to try again, and what to quote. */
export function ProblemBanner({ error, retry }: { error: unknown; retry?: () => void }) {
  const t = useText(uiMessages);
  const text = useProblemText();
  const id = isProblem(error) && error.status >= 500 ? error.requestId : '';
  return (
    <Banner tone="bad" title={text(error)} action={retry !== undefined && <Button onClick={retry}>{t('retry')}</Button>}>
      {id !== '' ? <code>{t('requestId', { id })}</code> : undefined}
    </Banner>
  );
}
