import { Button, Code, Loader } from '@mantine/core';
import { isProblem } from '@/api';
import { isMissingPart, version } from '@/browser/version';
import { useText } from '@/i18n';
import { uiMessages } from '../messages';
import { FullPage } from './FullPage';
import { NotFoundPage } from './NotFoundPage';
import { useProblemText } from './problemText';

/** Replaces a page that threw an error. */
export function ErrorPage({ error, reset }: { error: unknown; reset: () => void }) {
  const t = useText(uiMessages);
  const text = useProblemText();
  if (version.isLeaving()) return <Loader role="img" aria-label={t('loading')} />;
  if (isProblem(error, 'not_found')) return <NotFoundPage />;
  if (isProblem(error)) {
    return (
      <FullPage title={text(error)}>
        <Button onClick={reset}>{t('retry')}</Button>
        {error.requestId !== '' && <Code>{t('requestId', { id: error.requestId })}</Code>}
      </FullPage>
    );
  }
  const stale = isMissingPart(error);
  return (
    <FullPage title={t(stale ? 'staleTitle' : 'crashTitle')} hint={t(stale ? 'staleHint' : 'crashHint')}>
      <Button onClick={() => window.location.reload()}>{t('reload')}</Button>
      {!stale && <Code>{text(error)}</Code>}
    </FullPage>
  );
}
