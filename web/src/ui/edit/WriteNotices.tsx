import { Button } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { isProblem, useDoubt } from '@/api';
import { drafts } from '@/browser/drafts';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { When } from '../When';
import { editMessages } from './messages';
import type { Outcome } from './useKeyedMutation';

interface Write {
  outcome: Outcome;
  key: string | undefined;
  /** Retries the write; undefined if the submit button does it. */
  retry?: () => void;
  /** The reason for the missing response. */
  error?: Error | null;
}

/** The state of a write that is being retried or has an unknown outcome. */
export function OutcomeNotice({ write: { outcome, key, retry, error }, hint }: { write: Write; hint?: string | undefined }) {
  const t = useText(editMessages);
  const doubt = useDoubt(key ?? '');
  if (doubt !== undefined) {
    return (
      <Banner tone="info" title={t(doubt)}>
        {doubt === 'checking' ? t('checkingHint') : undefined}
      </Banner>
    );
  }
  if (outcome !== 'unknown') return null;
  if (isProblem(error, 'key_expired')) return <ProblemBanner error={error} />;
  return (
    <Banner tone="warn" title={t('stillUnknown')} action={retry !== undefined && <Button onClick={retry}>{t('retryRequest')}</Button>}>
      {hint ?? t('stillUnknownHint')}
    </Banner>
  );
}

/** Shows that the form contains a draft from an earlier visit. */
export function RestoredNotice({ at, hint, onDiscard }: { at: number | undefined; hint?: string; onDiscard?: () => void }) {
  const t = useText(editMessages);
  if (at === undefined) return null;
  const title = t.rich('restored', { when: <When time={new Date(at).toISOString()} /> });
  return (
    <Banner tone="info" title={title} action={onDiscard !== undefined && <Button onClick={onDiscard}>{t('startOver')}</Button>}>
      {hint ?? t('restoredHint')}
    </Banner>
  );
}

/** Warns that the storage of the browser is full or forbidden, so that input is not stored. */
export function StorageNotice() {
  const t = useText(editMessages);
  const isFull = useSyncExternalStore(drafts.subscribe, drafts.isFull);
  if (!isFull) return null;
  return (
    <Banner tone="warn" title={t('storageFull')}>
      {t('storageFullHint')}
    </Banner>
  );
}
