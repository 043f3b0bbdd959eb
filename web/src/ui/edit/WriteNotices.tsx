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
  /** Undefined where the button that sends it asks again too. */
  again?: () => void;
  /** Why it was not answered. */
  error?: Error | null;
}

/** What is known of a write that is being checked, or whose outcome is open. */
export function OutcomeNotice({ write: { outcome, key, again, error }, hint }: { write: Write; hint?: string | undefined }) {
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
    <Banner tone="warn" title={t('stillUnknown')} action={again !== undefined && <Button onClick={again}>{t('askAgain')}</Button>}>
      {hint ?? t('stillUnknownHint')}
    </Banner>
  );
}

/** Says that what is shown was typed on an earlier visit. */
export function RestoredNotice({ at, hint, onDiscard }: { at: number | undefined; hint?: string; onDiscard?: () => void }) {
  const t = useText(editMessages);
  if (at === undefined) return null;
  const title = t.rich('restored', { when: <When time={new Date(at).toISOString()} /> });
  return (
    <Banner tone="info" title={title} action={onDiscard !== undefined && <Button onClick={onDiscard}>{t('startAfresh')}</Button>}>
      {hint ?? t('restoredHint')}
    </Banner>
  );
}

/** Says that what is typed is not kept, while that is so. */
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
