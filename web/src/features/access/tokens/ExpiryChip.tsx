import { useFormat, useText } from '@/i18n';
import { StatusChip, useNow } from '@/ui';
import { expiryOf } from './expiry';
import { tokenMessages } from './messages';

/** The expiry of a token, highlighted if it is near or past. */
export function ExpiryChip({ expiresTime }: { expiresTime: string | null }) {
  const t = useText(tokenMessages);
  const { date, dateTime } = useFormat();
  const state = expiryOf(expiresTime, useNow());
  if (expiresTime === null) return <StatusChip tone="warn">{t('endless')}</StatusChip>;
  return (
    <>
      <time dateTime={expiresTime} title={dateTime(expiresTime)}>
        {date(expiresTime)}
      </time>{' '}
      {state === 'expired' && <StatusChip tone="bad">{t('expired')}</StatusChip>}
      {state === 'soon' && <StatusChip tone="warn">{t('soon')}</StatusChip>}
    </>
  );
}
