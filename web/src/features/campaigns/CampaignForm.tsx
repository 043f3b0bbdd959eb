import { Paper, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { contentOfFields, RecordForm, useRecordForm } from '@/ui';
import { CampaignInputs, useCampaignFaults } from './CampaignInputs';
import { DeletedCampaign } from './DeletedCampaign';
import { faultsOf, isFaultless } from './faults';
import { formOf, patchOfTerms, readFields, useCampaignLabels, type CampaignFields } from './fields';
import { campaignMessages } from './messages';
import { editCampaign, oneCampaign, type Campaign } from './queries';

interface Props {
  campaign: Campaign;
  /** Whether the campaign was deleted while the page was open. */
  gone: boolean;
  /** The field with the focus. */
  onField: (field: string | undefined) => void;
}

export function CampaignForm({ campaign, gone, onField }: Props) {
  const t = useText(campaignMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('coupons:write');
  const { id, issued, name } = campaign;
  const editing = useRecordForm<Campaign, CampaignFields>({
    resource: `coupon-campaigns/${id}`,
    title: name,
    current: campaign,
    labels: useCampaignLabels(),
    read: readFields,
    contentOf: contentOfFields,
    formOf,
    isComplete: (form) => isFaultless(faultsOf(form, issued)),
    send: (patch, etag, key) => editCampaign(id, patchOfTerms(patch), etag, key),
    onRecord: (saved) => {
      queries.setQueryData(oneCampaign(id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['coupon-campaigns'] });
    },
  });
  const { draft, change } = editing;
  const { value } = draft;
  const { errorOf, hasInput } = useCampaignFaults(editing, faultsOf(value, issued));
  return (
    <Paper component="section" p="lg" aria-labelledby="terms">
      <RecordForm
        editing={editing}
        missingPermission={mayWrite ? undefined : 'coupons:write'}
        hasInput={hasInput}
        onField={onField}
        head={
          <div>
            <Title order={2} id="terms">
              {t('terms')}
            </Title>
            {issued > 0 && !gone && <Text c="dimmed">{t('termsHint')}</Text>}
          </div>
        }
        deletedNotice={gone ? <DeletedCampaign id={id} form={value} onSettled={editing.discard} /> : undefined}
      >
        <CampaignInputs value={value} errorOf={errorOf} readOnly={!mayWrite} onChange={change} />
      </RecordForm>
    </Paper>
  );
}
