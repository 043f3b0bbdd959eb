import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { keepsKey, useIdempotencyKey, useMay } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, useDraft, useToasts } from '@/ui';
import { EditNotices } from '@/ui/edit/EditNotices';
import { FieldConflicts } from '@/ui/edit/FieldConflicts';
import { editMessages } from '@/ui/edit/messages';
import { useGuardedSave, type Saved } from '@/ui/edit/useGuardedSave';
import { useSaveWords } from '@/ui/edit/useSaveWords';
import { CampaignInputs } from './CampaignInputs';
import { CreateCampaign } from './CreateCampaign';
import { faultsOf, isFaultless, refusedFaults } from './faults';
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

/** Edits a campaign; what others change meanwhile is merged, or asked for field by field. */
export function CampaignForm({ campaign, gone, onField }: Props) {
  const t = useText(campaignMessages);
  const edit = useText(editMessages);
  const queries = useQueryClient();
  const texts = useCampaignTexts();
  const tell = useSaveWords<CampaignFields>(texts);
  const mayWrite = useMay()('coupons:write');
  const { id, issued } = campaign;
  const draft = useDraft({ resource: `coupon-campaigns/${id}`, current: campaign, read: readFields });
  const [strict, setStrict] = useState(false);
  const guarded = useGuardedSave<Campaign, CampaignFields>({
    draft,
    read: readFields,
    send: async (patch, etag) => {
      const saved = await editCampaign(id, patchOfTerms(patch), etag);
      queries.setQueryData(oneCampaign(id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['coupon-campaigns'] });
      return saved;
    },
  });
  const save = useMutation({ mutationFn: (run: () => Promise<Saved<CampaignFields>>) => run(), onSuccess: () => setStrict(false) });
  const { conflict } = guarded;
  const faults = { ...refusedFaults(save.error), ...faultsOf(draft.value, issued) };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (isFaultless(faultsOf(draft.value, issued))) save.mutate(guarded.save, { onSuccess: (outcome) => tell(outcome) });
  };
  return (
    <Paper component="section" p="lg" aria-labelledby="terms">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <div>
            <Title order={2} id="terms">
              {t('terms')}
            </Title>
            {issued > 0 && !gone && <Text c="dimmed">{t('termsHint')}</Text>}
          </div>
          {save.error !== null && !gone && <ProblemBanner error={save.error} />}
          {gone && <Gone id={id} value={draft.value} mayWrite={mayWrite} forget={draft.discard} />}
          {conflict === undefined && !gone && <EditNotices draft={draft} current={campaign} read={readFields} texts={texts} />}
          {conflict !== undefined && !gone && (
            <FieldConflicts
              conflict={conflict}
              mine={draft.value}
              texts={texts}
              saving={save.isPending}
              onChoose={guarded.choose}
              onLater={guarded.giveUp}
              onResolve={() => save.mutate(() => guarded.resolve(conflict), { onSuccess: (outcome) => tell(outcome, conflict.by.name) })}
            />
          )}
          <CampaignInputs
            value={draft.value}
            faults={strict ? faults : {}}
            readOnly={!mayWrite}
            onChange={(change) => draft.setValue((before) => ({ ...before, ...change }))}
            onField={onField}
          />
          {mayWrite && !gone && (
            <Group justify="flex-end">
              <Button disabled={!draft.isDirty} onClick={draft.discard}>
                {edit('discard')}
              </Button>
              <Button type="submit" variant="filled" disabled={!draft.isDirty || conflict !== undefined} loading={save.isPending}>
                {edit('save')}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
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
