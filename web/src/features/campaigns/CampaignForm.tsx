import { Button, Group, Paper, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { keepsKey, useIdempotencyKey, useMay } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, useToasts } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { RecordForm } from '@/ui/edit/RecordForm';
import { useRecordForm } from '@/ui/edit/useRecordForm';
import { CampaignInputs } from './CampaignInputs';
import { CreateCampaign } from './CreateCampaign';
import { faultsOf, isFaultless, isTold, refusedFaults } from './faults';
import { patchOfTerms, readFields, termsOf, useCampaignTexts, type CampaignField, type CampaignFields } from './fields';
import { campaignMessages } from './messages';
import { createCampaign, editCampaign, oneCampaign, type Campaign } from './queries';

interface Props {
  campaign: Campaign;
  /** It was deleted while it was open here. */
  gone: boolean;
  /** Tells which field is being edited. */
  onField: (field: CampaignField | undefined) => void;
}

/** Edits a campaign. */
export function CampaignForm({ campaign, gone, onField }: Props) {
  const t = useText(campaignMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('coupons:write');
  const { id, issued } = campaign;
  const form = useRecordForm<Campaign, CampaignFields>({
    resource: `coupon-campaigns/${id}`,
    current: campaign,
    read: readFields,
    texts: useCampaignTexts(),
    isComplete: (value) => isFaultless(faultsOf(value, issued)),
    send: async (patch, etag) => {
      const saved = await editCampaign(id, patchOfTerms(patch), etag);
      queries.setQueryData(oneCampaign(id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['coupon-campaigns'] });
      return saved;
    },
  });
  const { draft, strict } = form;
  const faults = { ...refusedFaults(form.error), ...faultsOf(draft.value, issued) };
  return (
    <Paper component="section" p="lg" aria-labelledby="terms">
      <RecordForm
        form={form}
        readOnly={!mayWrite}
        told={isTold}
        head={
          <div>
            <Title order={2} id="terms">
              {t('terms')}
            </Title>
            {issued > 0 && !gone && <Text c="dimmed">{t('termsHint')}</Text>}
          </div>
        }
        gone={gone ? <Gone id={id} value={draft.value} mayWrite={mayWrite} forget={draft.discard} /> : undefined}
      >
        <CampaignInputs value={draft.value} faults={strict ? faults : {}} readOnly={!mayWrite} onChange={form.change} onField={onField} />
      </RecordForm>
    </Paper>
  );
}

interface GoneProps {
  id: number;
  value: CampaignFields;
  mayWrite: boolean;
  /** Drops the draft, once it lives on in another campaign. */
  forget: () => void;
}

/** A campaign made again gets a number of its own, so that the page goes on there. */
function Gone({ id, value, mayWrite, forget }: GoneProps) {
  const t = useText(campaignMessages);
  const edit = useText(editMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { key, renew } = useIdempotencyKey(`coupon-campaigns/${id}/again`);
  const [copying, { open, close }] = useDisclosure();
  const recreate = useMutation({
    mutationFn: () => createCampaign(termsOf(value), key),
    onSuccess: ({ data: made }) => {
      renew();
      forget();
      queries.setQueryData(oneCampaign(made.id).queryKey, made);
      toasts.done(t('created', { name: made.name }));
      void navigate({ to: '/coupon-campaigns/$id', params: { id: String(made.id) }, replace: true });
    },
    onError: (error) => {
      if (!keepsKey(error)) renew();
    },
  });
  return (
    <>
      {recreate.error !== null && <ProblemBanner error={recreate.error} />}
      <Banner
        tone="bad"
        title={edit('deleted')}
        action={
          mayWrite && (
            <Group gap="xs">
              <Button loading={recreate.isPending} disabled={!isFaultless(faultsOf(value, 0))} onClick={() => recreate.mutate()}>
                {edit('recreate')}
              </Button>
              <Button onClick={open}>{t('copyToNew')}</Button>
            </Group>
          )
        }
      >
        {edit('deletedHint')}
      </Banner>
      {copying && <CreateCampaign copy={{ of: id, fields: value }} onCreated={forget} onClose={close} />}
    </>
  );
}
