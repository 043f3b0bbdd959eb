import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { inventoryMessages } from './messages';
import type { Shortages, StockChanged, UsedReference } from './queries';

/** Explains why an adjustment was rejected, with the current values, and offers a new count or a new reference. */
export function useAdjustRejection(countAgain: (from: number) => void, rename: () => void): (error: Error) => ReactNode {
  const t = useText(inventoryMessages);
  const ui = useText(uiMessages);
  const { signed } = useFormat();
  return (error) => {
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
    if (!isProblem(error, 'payload_mismatch')) return undefined;
    const { onHandDelta, reason, createdBy, createdTime } = error.as<UsedReference>().first;
    const title = t.rich('used', { change: signed(onHandDelta), who: createdBy.name, when: <When time={createdTime} /> });
    return (
      <Banner tone="warn" title={title} action={<Button onClick={rename}>{t('newReference')}</Button>}>
        {t('usedHint', { reason })}
      </Banner>
    );
  };
}
