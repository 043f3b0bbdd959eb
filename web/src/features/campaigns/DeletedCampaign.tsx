import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { contentOfFields, DeletedRecord, useKeyedMutation, useToasts } from '@/ui';
import { CreateCampaign } from './CreateCampaign';
import { faultsOf, isFaultless } from './faults';
import { termsOf, useCampaignLabels, type CampaignFields } from './fields';
import { campaignMessages } from './messages';
import { createCampaign, oneCampaign, type Campaign } from './queries';

interface Props {
  id: number;
  /** The draft. */
  form: CampaignFields;
  /** Called after the campaign was created again or copied. */
  onSettled: () => void;
  /** Set if the campaign was already deleted when the page opened. */
  onForget?: () => void;
}

/**
 * Shown for a deleted campaign with a draft. A campaign that is created again gets a new number, so
 * its page has another address.
 */
export function DeletedCampaign({ id, form, onSettled, onForget }: Props) {
  const t = useText(campaignMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const labels = useCampaignLabels();
  const mayWrite = useMay()('coupons:write');
  const [copying, { open, close }] = useDisclosure();
  const recreate = useKeyedMutation<CampaignFields, Campaign>({
    scope: `coupon-campaigns/${id}/again`,
    title: form.name,
    send: (typed, key) => createCampaign(termsOf(typed), key),
    onDone: (made) => {
      onSettled();
      queries.setQueryData(oneCampaign(made.id).queryKey, made);
      toasts.done(t('created', { name: made.name }));
      void navigate({ to: '/coupon-campaigns/$id', params: { id: String(made.id) }, replace: true });
    },
  });
  const again = { ...recreate, run: isFaultless(faultsOf(form, 0)) ? () => recreate.run(form) : undefined };
  return (
    <>
      <DeletedRecord content={contentOfFields(form)} labels={labels} recreate={mayWrite ? again : undefined} onDiscard={onForget}>
        {mayWrite && <Button onClick={open}>{t('copyToNew')}</Button>}
      </DeletedRecord>
      {copying && <CreateCampaign copy={{ of: id, fields: form }} onCreated={onSettled} onClose={close} />}
    </>
  );
}
