import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isProblem, useMay, versionConflict } from '@/api';
import { useText } from '@/i18n';
import { ActButton, useBulkActions, useConfirm, useKeyedAction, useToasts, stepKeys } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { CreateCampaign } from './CreateCampaign';
import { readFields, termsOf } from './fields';
import { IssueDialog } from './IssueDialog';
import { campaignMessages } from './messages';
import { createCampaign, deleteCampaign, editCampaign, oneCampaign, type Campaign, type CampaignTerms } from './queries';
import { stateOf } from './state';
import { useIssuing } from './useIssuing';

/** Issues coupons of a campaign; copies, deletes and ends the campaign. */
export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const t = useText(campaignMessages);
  const [issuing, issueDialog] = useDisclosure();
  const [copying, copyDialog] = useDisclosure();
  const list = useBulkActions({
    name: `coupon-campaigns/${campaign.id}`,
    topic: 'coupon-campaigns',
    actions: [useIssuing(campaign)],
    rowId: ({ userId }) => userId,
  });
  const { remove, isSending, isUnknown } = useRemove(campaign);
  if (!useMay()('coupons:write')) return null;
  const copy = { of: campaign.id, fields: { ...readFields(campaign), name: t('copyOf', { name: campaign.name }) } };
  return (
    <>
      <ActButton variant="filled" onClick={issueDialog.open}>
        {t('issue')}
      </ActButton>
      {list.tables}
      <ActButton hotkey={stepKeys.copy} onClick={copyDialog.open}>
        {t('copy')}
      </ActButton>
      <ActButton color="bad" variant="subtle" loading={isSending} disabled={isUnknown} onClick={() => void remove()}>
        {t('remove')}
      </ActButton>
      {list.rest}
      {issuing && <IssueDialog campaign={campaign} onClose={issueDialog.close} />}
      {copying && <CreateCampaign copy={copy} onClose={copyDialog.close} />}
    </>
  );
}

/** Deletes the campaign. A campaign with issued coupons cannot be deleted; the dialog offers to end it instead. */
function useRemove(campaign: Campaign): { remove: () => Promise<void>; isSending: boolean; isUnknown: boolean } {
  const t = useText(campaignMessages);
  const ui = useText(uiMessages);
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id, name, etag } = campaign;
  const showRejection = async (error: unknown) => {
    const conflict = versionConflict<Campaign>(error);
    if (conflict === undefined) toasts.failed(error);
    else toasts.info(t('changedMeanwhile', { who: conflict.updatedBy.name, name }));
    await queries.invalidateQueries({ queryKey: ['coupon-campaigns'] });
  };
  const end = useKeyedAction<{ at: string; etag: string }, Campaign>({
    scope: `coupon-campaigns/${id}/end`,
    title: `${t('endNow')} · ${name}`,
    topics: ['coupon-campaigns', 'coupons'],
    send: ({ at, etag: guard }, key) => editCampaign(id, { validTo: at }, guard, key, { merge: 'disjoint' }),
    onDone: (ended) => {
      queries.setQueryData(oneCampaign(id).queryKey, ended);
      toasts.done(t('ended', { name }));
    },
    onRejected: showRejection,
  });
  const explainUse = async (issued: number) => {
    const state = stateOf(campaign, Date.now());
    const canEnd = state === 'running' || state === 'exhausted';
    const body = (
      <>
        {t('inUseHint', { n: issued })} {canEnd ? t('endHint') : state === 'upcoming' && t('endByHint')}
      </>
    );
    const answer = await ask({ title: t('inUse', { name }), body, ...(canEnd ? { confirm: t('endNow'), tone: 'bad' } : { confirm: ui('understood') }) });
    if (answer !== undefined && canEnd) end.run({ at: new Date().toISOString(), etag });
  };
  const restore = useKeyedAction<CampaignTerms, Campaign>({
    scope: `coupon-campaigns/${id}/restore`,
    title: `${t('restore')} · ${name}`,
    topics: ['coupon-campaigns'],
    send: createCampaign,
    onDone: () => toasts.done(t('restored', { name })),
  });
  const remove = useKeyedAction({
    scope: `coupon-campaigns/${id}/remove`,
    title: `${t('remove')} · ${name}`,
    send: (guard: string) => deleteCampaign(id, guard),
    onDone: async () => {
      toasts.done(t('removed', { name }), () => restore.run(termsOf(readFields(campaign))));
      await navigate({ to: '/coupon-campaigns' });
      queries.removeQueries({ queryKey: oneCampaign(id).queryKey });
      await queries.invalidateQueries({ queryKey: ['coupon-campaigns', 'list'] });
    },
    onRejected: (error) => (isProblem(error, 'in_use') ? explainUse(Math.max(1, campaign.issued)) : showRejection(error)),
  });
  return {
    isSending: remove.outcome === 'sending' || end.outcome === 'sending',
    isUnknown: remove.outcome === 'unknown' || end.outcome === 'unknown',
    remove: async () => {
      // Issued coupons stay valid, so a campaign with issued coupons cannot be deleted.
      if (campaign.issued > 0) await explainUse(campaign.issued);
      else if ((await ask({ title: t('removeQuestion', { name }), body: t('removeBody'), confirm: t('remove'), tone: 'bad' })) !== undefined) remove.run(etag);
    },
  };
}
