import { Button, Paper, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { contentOfFields, Gone, RecordForm, useKeyedMutation, useRecordForm, useToasts } from '@/ui';
import { CampaignInputs, useCampaignFaults } from './CampaignInputs';
import { CreateCampaign } from './CreateCampaign';
import { faultsOf, isFaultless } from './faults';
import { formOf, patchOfTerms, readFields, termsOf, useCampaignWords, type CampaignFields } from './fields';
import { campaignMessages } from './messages';
import { createCampaign, editCampaign, oneCampaign, type Campaign } from './queries';

interface Props {
  campaign: Campaign;
  /** It was deleted while it was open here. */
  gone: boolean;
  /** Which field has the focus. */
  onField: (field: string | undefined) => void;
}

/** Edits a campaign. */
export function CampaignForm({ campaign, gone, onField }: Props) {
  const t = useText(campaignMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayWrite = useMay()('coupons:write');
  const [copying, { open, close }] = useDisclosure();
  const { id, issued, name } = campaign;
  const editing = useRecordForm<Campaign, CampaignFields>({
    resource: `coupon-campaigns/${id}`,
    title: name,
    current: campaign,
    words: useCampaignWords(),
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
  const { draft, mine, words, change } = editing;
  const { value } = draft;
  // One that is made again gets a number of its own, so that the page goes on there.
  const recreate = useKeyedMutation<JsonObject, Campaign>({
    scope: `coupon-campaigns/${id}/again`,
    title: name,
    send: (content, key) => createCampaign(termsOf(formOf(content)), key),
    onDone: (made) => {
      editing.discard();
      queries.setQueryData(oneCampaign(made.id).queryKey, made);
      toasts.done(t('created', { name: made.name }));
      void navigate({ to: '/coupon-campaigns/$id', params: { id: String(made.id) }, replace: true });
    },
  });
  const { wrong, told } = useCampaignFaults(editing, faultsOf(value, issued));
  const content = mine instanceof Error ? undefined : mine;
  const again = { ...recreate, run: content && isFaultless(faultsOf(value, 0)) ? () => recreate.run(content) : undefined };
  const deleted = gone && (
    <Gone content={content} words={words} recreate={mayWrite ? again : undefined}>
      {mayWrite && <Button onClick={open}>{t('copyToNew')}</Button>}
    </Gone>
  );
  return (
    <Paper component="section" p="lg" aria-labelledby="terms">
      <RecordForm
        editing={editing}
        lacks={mayWrite ? undefined : 'coupons:write'}
        told={told}
        onField={onField}
        head={
          <div>
            <Title order={2} id="terms">
              {t('terms')}
            </Title>
            {issued > 0 && !gone && <Text c="dimmed">{t('termsHint')}</Text>}
          </div>
        }
        gone={deleted === false ? undefined : deleted}
      >
        <CampaignInputs value={value} wrong={wrong} readOnly={!mayWrite} onChange={change} />
      </RecordForm>
      {copying && <CreateCampaign copy={{ of: id, fields: value }} onCreated={editing.discard} onClose={close} />}
    </Paper>
  );
}
