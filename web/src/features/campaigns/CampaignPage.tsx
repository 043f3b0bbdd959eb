import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from '@/i18n';
import { changesOf, contentOfFields, History, RecordPage, revisionsOf } from '@/ui';
import { CampaignActions } from './CampaignActions';
import { CampaignCounts } from './CampaignCounts';
import { CampaignForm } from './CampaignForm';
import { DeletedCampaign } from './DeletedCampaign';
import { CampaignStateChip } from './CampaignStateChip';
import { readFields, useCampaignLabels, type CampaignFields } from './fields';
import { campaignMessages } from './messages';
import { campaignHistory, oneCampaign } from './queries';

/** The page of a campaign: counts, form, actions and history. */
export function CampaignPage({ id }: { id: number }) {
  const t = useText(campaignMessages);
  const labels = useCampaignLabels();
  const query = useQuery(oneCampaign(id));
  const [field, setField] = useState<string>();
  return (
    <RecordPage
      query={query}
      name={query.data?.name ?? `#${id}`}
      parent={{ to: '/coupon-campaigns', label: t('title') }}
      resource={`coupon-campaigns/${id}`}
      field={field}
      fieldLabel={(name) => labels.field(`/${name}`)}
      chips={(campaign) => <CampaignStateChip campaign={campaign} />}
      actions={(campaign) => <CampaignActions campaign={campaign} />}
      renderDraft={(form: CampaignFields, forget) => <DeletedCampaign id={id} form={form} onSettled={forget} onForget={forget} />}
    >
      {(campaign, { isDeleted: gone }) => (
        <>
          {!gone && <CampaignCounts campaign={campaign} />}
          <CampaignForm campaign={campaign} gone={gone} onField={setField} />
          {!gone && <Revisions id={id} />}
        </>
      )}
    </RecordPage>
  );
}

const actions = { create: 'onCreate', update: 'onUpdate', issue: 'onIssue' } as const;

/** Every version of a campaign, with its changes. Issuing coupons also creates a version. */
function Revisions({ id }: { id: number }) {
  const t = useText(campaignMessages);
  const query = useInfiniteQuery(campaignHistory(id));
  const revisions = revisionsOf(query);
  return (
    <History
      query={query}
      labels={useCampaignLabels()}
      entries={revisions.map((revision, i) => ({
        ...revision,
        action: t(actions[revision.action]),
        changes: changesOf(revisions, i, (one) => contentOfFields({ ...readFields(one), issued: one.issued })),
      }))}
    />
  );
}
