import { Loader, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { EtagVersion, PageHeader, ProblemBanner, usePresence } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { CampaignActions } from './CampaignActions';
import { CampaignCounts } from './CampaignCounts';
import { CampaignForm } from './CampaignForm';
import { CampaignRevisions } from './CampaignRevisions';
import { CampaignStateChip } from './CampaignStateChip';
import type { CampaignField } from './fields';
import { campaignMessages } from './messages';
import { oneCampaign } from './queries';
import { WhoElse } from './WhoElse';

/** One campaign: how much of it is left, its form, what can be done with it, and its history. */
export function CampaignPage({ id }: { id: number }) {
  const t = useText(campaignMessages);
  const ui = useText(uiMessages);
  const { data: campaign, error, refetch } = useQuery(oneCampaign(id));
  const [field, setField] = useState<CampaignField>();
  const others = usePresence(`coupon-campaigns/${id}`, field === undefined ? undefined : `/${field}`);
  const gone = isProblem(error, 'not_found');
  return (
    <>
      <PageHeader
        title={campaign?.name ?? `#${id}`}
        parent={{ to: '/coupon-campaigns', label: t('title') }}
        chips={
          campaign !== undefined &&
          !gone && (
            <>
              <CampaignStateChip campaign={campaign} />
              <EtagVersion version={campaign.version} etag={campaign.etag} />
            </>
          )
        }
      >
        <WhoElse others={others} />
        {campaign !== undefined && !gone && <CampaignActions campaign={campaign} />}
      </PageHeader>
      <Stack gap="md">
        {error !== null && !(gone && campaign !== undefined) && <ProblemBanner error={error} retry={() => void refetch()} />}
        {campaign === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
        {campaign !== undefined && !gone && <CampaignCounts campaign={campaign} />}
        {campaign !== undefined && <CampaignForm campaign={campaign} gone={gone} onField={setField} />}
        {campaign !== undefined && !gone && <CampaignRevisions id={id} />}
      </Stack>
    </>
  );
}
