import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useToasts } from '@/ui';
import { CampaignInputs, useCampaignFaults } from './CampaignInputs';
import { faultsOf, isFaultless } from './faults';
import { blankCampaign, termsOf, type CampaignFields } from './fields';
import { campaignMessages } from './messages';
import { createCampaign, oneCampaign, type Campaign } from './queries';

interface Props {
  onClose: () => void;
  /** The initial fields of a copy, and the id of the original campaign. */
  copy?: { of: number; fields: CampaignFields };
  /** Called after the creation, before the new page opens. */
  onCreated?: () => void;
}

/** The dialog that creates a campaign, empty or as a copy. */
export function CreateCampaign({ onClose, copy, onCreated }: Props) {
  const t = useText(campaignMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const title = t(copy === undefined ? 'add' : 'copyToNew');
  const keyed = useKeyedForm<CampaignFields, Campaign>({
    scope: copy === undefined ? 'coupon-campaigns/new' : `coupon-campaigns/copy-${copy.of}`,
    title,
    topics: ['coupon-campaigns'],
    open: () => copy?.fields ?? blankCampaign(),
    isComplete: (form) => isFaultless(faultsOf(form, 0)),
    send: (form, key) => createCampaign(termsOf(form), key),
    onDone: (made) => {
      queries.setQueryData(oneCampaign(made.id).queryKey, made);
      toasts.done(t('created', { name: made.name }));
      onCreated?.();
      onClose();
      void navigate({ to: '/coupon-campaigns/$id', params: { id: String(made.id) } });
    },
  });
  const { errorOf, hasInput } = useCampaignFaults(keyed, faultsOf(keyed.form, 0));
  return (
    <FormDialog form={keyed} title={title} confirm={t('create')} hasInput={hasInput} onClose={onClose}>
      <CampaignInputs value={keyed.form} errorOf={errorOf} readOnly={keyed.isFixed} onChange={keyed.change} />
    </FormDialog>
  );
}
