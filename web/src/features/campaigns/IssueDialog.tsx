import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner, FormDialog, useKeyedForm, useNow } from '@/ui';
import { IssuedCodes, IssuedActions } from './IssuedCodes';
import { emptyIssue, isComplete, IssueInputs, type IssueForm } from './IssueInputs';
import { campaignMessages } from './messages';
import { issueCoupons, type Campaign, type LimitReached } from './queries';
import { stateOf } from './state';

interface Props {
  campaign: Campaign;
  onClose: () => void;
}

/** Issues coupons without a user. The dialog shows how many will be left, then the codes or the limit that prevents the issue. */
export function IssueDialog({ campaign, onClose }: Props) {
  const t = useText(campaignMessages);
  const [codes, setCodes] = useState<readonly string[]>();
  const title = t('issueTitle', { name: campaign.name });
  const keyed = useKeyedForm<IssueForm, { codes: string[] }>({
    scope: `coupon-campaigns/${campaign.id}/coupons`,
    title,
    topics: ['coupon-campaigns', 'coupons'],
    open: () => emptyIssue,
    isComplete,
    send: ({ count }, key) => issueCoupons(campaign.id, { count: count ?? 0 }, key),
    onDone: ({ codes }) => setCodes(codes),
  });
  const { form, change, strict, error, isFixed } = keyed;
  const over = stateOf(campaign, useNow()) === 'over';
  const isOver = (
    <Banner tone="warn" title={t('hasEnded')}>
      {t('hasEndedHint')}
    </Banner>
  );
  const rejection = useRejection(form, change, isOver);
  return (
    <FormDialog
      form={keyed}
      title={title}
      confirm={t('issue')}
      renderRejection={rejection}
      disabled={over}
      finished={codes !== undefined}
      actions={codes !== undefined && <IssuedActions campaign={campaign} codes={codes} />}
      onClose={onClose}
    >
      {codes !== undefined && <IssuedCodes codes={codes} />}
      {codes === undefined && over && !isFixed && error === null && isOver}
      {codes === undefined && <IssueInputs form={form} campaign={campaign} strict={strict} disabled={isFixed} onChange={change} />}
    </FormDialog>
  );
}

/** Explains which limit prevents the issue, and offers a possible number. */
function useRejection(form: IssueForm, change: (part: Partial<IssueForm>) => void, isOver: ReactNode): (error: Error) => ReactNode {
  const t = useText(campaignMessages);
  return (error) => {
    if (isProblem(error, 'validation_failed') && error.fields.some(({ code }) => code === 'over')) return isOver;
    if (!isProblem(error, 'limit_reached')) return undefined;
    const { left = 0, total = 0 } = error.as<LimitReached>();
    if (left === 0) return <Banner tone="warn" title={t('allIssued', { total })} />;
    return (
      <Banner
        tone="warn"
        title={t('limitLeft', { left, total, n: form.count ?? 0 })}
        action={<Button onClick={() => change({ count: left })}>{t('issueLeft', { left })}</Button>}
      >
        {t('limitHint')}
      </Banner>
    );
  };
}
