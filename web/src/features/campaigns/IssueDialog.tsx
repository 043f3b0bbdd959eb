import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner, FormDialog, useKeyedForm, useNow } from '@/ui';
import { IssuedCodes, IssuedActions, type Issued } from './IssuedCodes';
import { emptyIssue, IssueInputs, requestOf, sizeOf, type IssueForm } from './IssueInputs';
import { campaignMessages } from './messages';
import { issueCoupons, type Campaign, type LimitReached } from './queries';
import { stateOf } from './state';
import { readUserIds } from './userIds';

interface Props {
  campaign: Campaign;
  onClose: () => void;
}

/** Issues coupons: says what will be left, then gives the codes, or says which limit stands against it. */
export function IssueDialog({ campaign, onClose }: Props) {
  const t = useText(campaignMessages);
  const [issued, setIssued] = useState<Issued>();
  const title = t('issueTitle', { name: campaign.name });
  const keyed = useKeyedForm<IssueForm, { codes: string[] }>({
    scope: `coupon-campaigns/${campaign.id}/coupons`,
    title,
    topics: ['coupon-campaigns', 'coupons'],
    open: () => emptyIssue,
    isComplete: (form) => requestOf(form) !== undefined,
    send: (form, key) => issueCoupons(campaign.id, requestOf(form) ?? { count: 0 }, key),
    onDone: ({ codes }, form) => setIssued({ codes, users: form.way === 'users' ? readUserIds(form.users).ids : undefined }),
  });
  const { form, change, strict, error, isFixed } = keyed;
  const over = stateOf(campaign, useNow()) === 'over';
  const isOver = (
    <Banner tone="warn" title={t('overAlready')}>
      {t('overHint')}
    </Banner>
  );
  const refusal = useRefusal(form, change, isOver);
  return (
    <FormDialog
      form={keyed}
      title={title}
      confirm={t('issue')}
      refusal={refusal}
      disabled={over}
      finished={issued !== undefined}
      actions={issued !== undefined && <IssuedActions campaign={campaign} issued={issued} />}
      onClose={onClose}
    >
      {issued !== undefined && <IssuedCodes issued={issued} />}
      {issued === undefined && over && !isFixed && error === null && isOver}
      {issued === undefined && <IssueInputs form={form} campaign={campaign} strict={strict} disabled={isFixed} onChange={change} />}
    </FormDialog>
  );
}

/** Which limit stands against it, and what can be asked for instead. */
function useRefusal(form: IssueForm, change: (part: Partial<IssueForm>) => void, isOver: ReactNode): (error: Error) => ReactNode {
  const t = useText(campaignMessages);
  return (error) => {
    if (isProblem(error, 'validation_failed') && error.fields.some(({ code }) => code === 'over')) return isOver;
    if (!isProblem(error, 'limit_reached')) return undefined;
    const { left, total = 0, perUser = 0, userIds = [] } = error.as<LimitReached>();
    if (left === undefined) {
      const full = new Set(userIds);
      const others = readUserIds(form.users).ids.filter((id) => !full.has(id));
      return (
        <Banner
          tone="warn"
          title={t('limitUsers', { n: userIds.length, perUser })}
          action={others.length > 0 && <Button onClick={() => change({ users: others.join('\n') })}>{t('leaveOut')}</Button>}
        >
          <span className="mono">{userIds.join(', ')}</span>
        </Banner>
      );
    }
    if (left === 0) return <Banner tone="warn" title={t('limitGone', { total })} />;
    return (
      <Banner
        tone="warn"
        title={t('limitLeft', { left, total, n: sizeOf(form) })}
        action={form.way === 'count' && <Button onClick={() => change({ count: left })}>{t('takeLeft', { left })}</Button>}
      >
        {t('limitHint')}
      </Banner>
    );
  };
}
