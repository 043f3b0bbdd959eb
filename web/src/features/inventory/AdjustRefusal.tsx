import { Button } from '@mantine/core';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { inventoryMessages } from './messages';
import type { Shortages, StockChanged, UsedReference } from './queries';
import { useSigned } from './signed';

interface Props {
  error: Error;
  /** Which places of the request have an input that says what is wrong. */
  told: (pointer: string) => boolean;
  /** Sends the same again under the same key. */
  retry: () => void;
  countAgain: (from: number) => void;
  /** Takes another reference. */
  rename: () => void;
}

/** Why an adjustment was not made, what is there instead, and what can be done. */
export function AdjustRefusal({ error, told, retry, countAgain, rename }: Props) {
  const t = useText(inventoryMessages);
  const ui = useText(uiMessages);
  const signed = useSigned();
  if (isProblem(error, 'status_changed')) {
    const { current, changeFrom, changedBy, changedTime } = error.as<StockChanged>();
    const when = changedTime === null ? '' : <When time={changedTime} />;
    return (
      <Banner
        tone="warn"
        title={t.rich('changedNow', { n: current.onHand, who: changedBy?.name ?? ui('system'), when })}
        action={<Button onClick={() => countAgain(current.onHand)}>{t('countAgain', { n: current.onHand })}</Button>}
      >
        {t('changedNowHint', { from: changeFrom })}
      </Banner>
    );
  }
  if (isProblem(error, 'insufficient_stock')) {
    const { available = 0, wanted = 0 } = error.as<Shortages>().lines[0] ?? {};
    return (
      <Banner tone="warn" title={t('short', { available, wanted })}>
        {t('shortHint')}
      </Banner>
    );
  }
  if (isProblem(error, 'resource_locked')) {
    return (
      <Banner tone="warn" title={t('locked')} action={<Button onClick={retry}>{ui('retry')}</Button>}>
        {t('lockedHint')}
      </Banner>
    );
  }
  if (isProblem(error, 'payload_mismatch')) {
    const { first } = error.as<UsedReference>();
    return (
      <Banner
        tone="warn"
        title={t.rich('used', { change: signed(first.onHandDelta), who: first.createdBy.name, when: <When time={first.createdTime} /> })}
        action={<Button onClick={rename}>{t('newReference')}</Button>}
      >
        {t('usedHint', { reason: first.reason })}
      </Banner>
    );
  }
  if (isProblem(error, 'validation_failed') && error.fields.length > 0 && error.fields.every(({ pointer }) => told(pointer))) return null;
  return <ProblemBanner error={error} told={told} />;
}
