import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { isProblem, keepsKey, useIdempotencyKey } from '@/api';
import { useText } from '@/i18n';
import { Banner, OutcomeNotice, ProblemBanner, useDraft, useToasts, type Versioned, When } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { uiMessages } from '@/ui/messages';
import { CampaignInputs } from './CampaignInputs';
import { faultsOf, isFaultless, refusedFaults } from './faults';
import { termsOf, type CampaignFields } from './fields';
import { campaignMessages } from './messages';
import { createCampaign, oneCampaign } from './queries';

interface Props {
  onClose: () => void;
  /** What the new campaign begins as, and the number of the one that it is a copy of. */
  copy?: { of: number; fields: CampaignFields };
  /** The campaign was created; comes before its page is opened. */
  onCreated?: () => void;
}

const minute = 60_000;

function blank(): CampaignFields {
  const validFrom = new Date(Math.floor(Date.now() / minute) * minute).toISOString();
  return { name: '', discount: 'amount ', minimumAmount: 0, total: null, perUser: 1, validFrom, validTo: null };
}

/** The form of a campaign that is not there yet, as the record that a draft is kept of. */
interface Unborn extends Versioned {
  fields: CampaignFields;
}

const readUnborn = ({ fields }: Unborn) => fields;

/** The dialog that creates a campaign, empty or as a copy. What was typed is kept until it is created or discarded. */
export function CreateCampaign({ onClose, copy, onCreated }: Props) {
  const t = useText(campaignMessages);
  const ui = useText(uiMessages);
  const edit = useText(editMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const scope = copy === undefined ? 'coupon-campaigns/new' : `coupon-campaigns/copy-${copy.of}`;
  const { key, renew } = useIdempotencyKey(scope);
  const [current] = useState<Unborn>(() => ({ version: 0, etag: 'new', fields: copy?.fields ?? blank() }));
  const draft = useDraft({ resource: scope, current, read: readUnborn });
  const [strict, setStrict] = useState(false);
  const create = useMutation({
    mutationFn: () => createCampaign(termsOf(draft.value), key),
    onSuccess: ({ data: made }) => {
      renew();
      draft.discard();
      queries.setQueryData(oneCampaign(made.id).queryKey, made);
      void queries.invalidateQueries({ queryKey: ['coupon-campaigns', 'list'] });
      toasts.done(t('created', { name: made.name }));
      onCreated?.();
      onClose();
      void navigate({ to: '/coupon-campaigns/$id', params: { id: String(made.id) } });
    },
    onError: (error) => {
      if (!keepsKey(error)) renew();
    },
  });
  // What was sent stays as it was: the same key with other contents would be refused.
  const unknown = isProblem(create.error) && create.error.isOutcomeUnknown;
  const faults = { ...refusedFaults(create.error), ...faultsOf(draft.value, 0) };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (isFaultless(faultsOf(draft.value, 0))) create.mutate();
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={t(copy === undefined ? 'add' : 'copyToNew')} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <OutcomeNotice requestKey={key} />
          {create.error !== null && (unknown ? <Banner tone="warn" title={t('unknown')} /> : <ProblemBanner error={create.error} />)}
          {draft.restored !== undefined && (
            <Banner
              tone="info"
              title={edit.rich('restored', { when: <When time={new Date(draft.restored).toISOString()} /> })}
              action={<Button onClick={draft.discard}>{edit('discard')}</Button>}
            >
              {edit('restoredHint')}
            </Banner>
          )}
          <CampaignInputs
            value={draft.value}
            faults={strict ? faults : {}}
            readOnly={unknown}
            onChange={(change) => draft.setValue((before) => ({ ...before, ...change }))}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>{ui('cancel')}</Button>
            <Button type="submit" variant="filled" loading={create.isPending}>
              {t(unknown ? 'askAgain' : 'create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
