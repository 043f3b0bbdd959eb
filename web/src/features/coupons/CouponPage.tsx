import { Anchor, Button, Loader, Paper, Stack, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { EtagVersion, Money, PageHeader, ProblemBanner } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { Timeline } from '@/ui/history/Timeline';
import { uiMessages } from '@/ui/messages';
import { CampaignLink } from './CampaignLink';
import { CouponDialog } from './CouponDialog';
import styles from './CouponPage.module.css';
import { CouponStatusChip } from './CouponStatusChip';
import { couponMessages } from './messages';
import { campaignNames, couponHistory, oneCoupon, type Coupon, type CouponAction } from './queries';
import { useWorth } from './useWorth';

/** One coupon: what it is worth, what can be done with it, and what happened to it. */
export function CouponPage({ code }: { code: string }) {
  const t = useText(couponMessages);
  const ui = useText(uiMessages);
  const mayWrite = useMay()('coupons:write');
  const { data: coupon, error, refetch } = useQuery(oneCoupon(code));
  const [dialog, setDialog] = useState<CouponAction>();
  return (
    <>
      <PageHeader
        title={coupon?.code ?? code}
        mono
        parent={{ to: '/coupons', label: t('title') }}
        chips={
          coupon !== undefined && (
            <>
              <CouponStatusChip status={coupon.status} />
              <EtagVersion version={coupon.version} etag={coupon.etag} />
            </>
          )
        }
      >
        {mayWrite &&
          coupon?.allowedTransitions.map((action) => (
            <Button
              key={action}
              variant={action === 'redeem' ? 'filled' : 'light'}
              color={action === 'void' ? 'bad' : undefined}
              onClick={() => setDialog(action)}
            >
              {t(action === 'redeem' ? 'redeem' : 'voidIt')}
            </Button>
          ))}
      </PageHeader>
      <Stack gap="md">
        {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
        {coupon === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
        {coupon !== undefined && <Facts coupon={coupon} />}
        {coupon !== undefined && <History code={coupon.code} />}
      </Stack>
      {coupon !== undefined && dialog !== undefined && <CouponDialog coupon={coupon} action={dialog} onClose={() => setDialog(undefined)} />}
    </>
  );
}

function Facts({ coupon }: { coupon: Coupon }) {
  const t = useText(couponMessages);
  const { dateTime } = useFormat();
  const worth = useWorth();
  const { data: campaigns } = useQuery(campaignNames);
  const campaign = campaigns?.items.find(({ id }) => id === coupon.campaignId)?.name ?? `#${coupon.campaignId}`;
  return (
    <Paper component="section" p="lg" aria-labelledby="about">
      <Title order={2} id="about" mb="sm">
        {t('about')}
      </Title>
      <dl className={styles.facts}>
        <Fact term={t('campaign')}>
          <CampaignLink id={coupon.campaignId} name={campaign} />
        </Fact>
        <Fact term={t('takesOff')}>{worth(coupon)}</Fact>
        <Fact term={t('minimum')}>
          <Money minor={coupon.minimumAmount} />
        </Fact>
        <Fact term={t('valid')}>{t('validRange', { from: dateTime(coupon.validFrom), to: dateTime(coupon.validTo) })}</Fact>
        <Fact term={t('user')}>{coupon.userId ?? t('anybody')}</Fact>
        {coupon.redeemedByUserId !== null && <Fact term={t('redeemedBy')}>{coupon.redeemedByUserId}</Fact>}
        {coupon.orderId !== null && (
          <Fact term={t('order')}>
            <OrderLink id={coupon.orderId} />
          </Fact>
        )}
        {coupon.voidReason !== null && coupon.voidReason !== '' && <Fact term={t('reason')}>{coupon.voidReason}</Fact>}
      </dl>
    </Paper>
  );
}

function OrderLink({ id }: { id: number }) {
  const t = useText(couponMessages);
  const to: string = `/orders/${id}`;
  return (
    <Anchor component={Link} to={to}>
      {t('orderLink', { id: String(id) })}
    </Anchor>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const words = { issue: 'onIssue', redeem: 'onRedeem', void: 'onVoid', expire: 'onExpire', return: 'onReturn' } as const;

function History({ code }: { code: string }) {
  const t = useText(couponMessages);
  const edit = useText(editMessages);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(couponHistory(code));
  return (
    <Paper component="section" p="lg" aria-labelledby="history">
      <Title order={2} id="history">
        {t('history')}
      </Title>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      <Timeline
        label={t('history')}
        entries={(data?.pages ?? []).flatMap(({ items }) =>
          items.map(({ version, action, to, changedBy, changedTime }) => ({
            id: version,
            by: changedBy,
            time: changedTime,
            action: (
              <>
                {t(words[action])} <CouponStatusChip status={to} />
              </>
            ),
          })),
        )}
      />
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>{edit('older')}</Button>}
    </Paper>
  );
}
