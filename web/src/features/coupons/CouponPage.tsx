import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { ActButton, CustomerLink, Facts, History, Money, RecordLink, RecordPage, revisionsOf, Section, useSteps, stepKeys } from '@/ui';
import { CouponDialog } from './CouponDialog';
import { CouponStatusChip } from './CouponStatusChip';
import { couponMessages } from './messages';
import { campaignNames, couponHistory, oneCoupon, type Coupon, type CouponAction } from './queries';
import { useDiscountText } from './useWorth';

/** The page of a coupon: its discount, actions and history. */
export function CouponPage({ code }: { code: string }) {
  const t = useText(couponMessages);
  const mayWrite = useMay()('coupons:write');
  const query = useQuery(oneCoupon(code));
  const actions = useSteps<CouponAction>(`coupons/${code}`, query.data?.allowedTransitions ?? []);
  const [dialog, setDialog] = useState<CouponAction>();
  return (
    <RecordPage
      query={query}
      name={query.data?.code ?? code}
      mono
      parent={{ to: '/coupons', label: t('title') }}
      resource={`coupons/${query.data?.code ?? code}`}
      chips={({ status }) => <CouponStatusChip status={status} />}
      actions={() =>
        mayWrite &&
        actions.map((action) => (
          <ActButton
            key={action}
            hotkey={stepKeys[action]}
            variant={action === 'redeem' ? 'filled' : 'light'}
            color={action === 'void' ? 'bad' : undefined}
            onClick={() => setDialog(action)}
          >
            {t(action === 'redeem' ? 'redeem' : 'voidIt')}
          </ActButton>
        ))
      }
    >
      {(coupon) => (
        <>
          <About coupon={coupon} />
          <Events code={coupon.code} />
          {dialog !== undefined && <CouponDialog coupon={coupon} action={dialog} onClose={() => setDialog(undefined)} />}
        </>
      )}
    </RecordPage>
  );
}

function About({ coupon }: { coupon: Coupon }) {
  const t = useText(couponMessages);
  const { dateTime } = useFormat();
  const { worth } = useDiscountText();
  const { data: campaigns } = useQuery(campaignNames);
  const { campaignId, minimumAmount, validFrom, validTo, userId, redeemedByUserId, orderId, voidReason } = coupon;
  const campaign = campaigns?.items.find(({ id }) => id === campaignId)?.name ?? `#${campaignId}`;
  return (
    <Section title={t('about')}>
      <Facts
        facts={[
          [t('campaign'), <RecordLink key="campaign" path={`coupon-campaigns/${campaignId}`} children={campaign} />],
          [t('discount'), worth(coupon)],
          [t('minimum'), <Money key="minimum" minor={minimumAmount} />],
          [t('valid'), t('validRange', { from: dateTime(validFrom), to: dateTime(validTo) })],
          [t('user'), userId === null ? t('anybody') : <CustomerLink key="user" userId={userId} />],
          [t('redeemedBy'), redeemedByUserId !== null && <CustomerLink key="by" userId={redeemedByUserId} />],
          orderId !== null && [t('order'), <RecordLink key="order" path={`orders/${orderId}`} children={t('orderLink', { id: String(orderId) })} />],
          [t('reason'), voidReason === '' ? undefined : voidReason],
        ]}
      />
    </Section>
  );
}

const labels = { issue: 'onIssue', redeem: 'onRedeem', void: 'onVoid', expire: 'onExpire', return: 'onReturn' } as const;

function Events({ code }: { code: string }) {
  const t = useText(couponMessages);
  const query = useInfiniteQuery(couponHistory(code));
  return (
    <History
      title={t('history')}
      query={query}
      entries={revisionsOf(query).map((event) => ({ ...event, action: t(labels[event.action]), marks: <CouponStatusChip status={event.to} /> }))}
    />
  );
}
