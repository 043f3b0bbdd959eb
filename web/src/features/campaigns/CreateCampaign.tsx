import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { useToasts } from '@/ui';
import { NewRecordDialog } from '@/ui/edit/NewRecordDialog';
import { useNewRecord } from '@/ui/edit/useNewRecord';
import { CampaignInputs } from './CampaignInputs';
import { faultsOf, isFaultless, isTold, refusedFaults } from './faults';
import { termsOf, type CampaignFields } from './fields';
import { campaignMessages } from './messages';
import { createCampaign, oneCampaign, type Campaign } from './queries';

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

/** The dialog that creates a campaign, empty or as a copy. */
export function CreateCampaign({ onClose, copy, onCreated }: Props) {
  const t = useText(campaignMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const record = useNewRecord<CampaignFields, Campaign>({
    scope: copy === undefined ? 'coupon-campaigns/new' : `coupon-campaigns/copy-${copy.of}`,
    blank: () => copy?.fields ?? blank(),
    isComplete: (value) => isFaultless(faultsOf(value, 0)),
    send: (value, key) => createCampaign(termsOf(value), key),
    onMade: (made) => {
      queries.setQueryData(oneCampaign(made.id).queryKey, made);
      void queries.invalidateQueries({ queryKey: ['coupon-campaigns', 'list'] });
      toasts.done(t('created', { name: made.name }));
      onCreated?.();
      onClose();
      void navigate({ to: '/coupon-campaigns/$id', params: { id: String(made.id) } });
    },
  });
  const { value, change, strict, error, isOpen } = record;
  const faults = { ...refusedFaults(error), ...faultsOf(value, 0) };
  return (
    <NewRecordDialog record={record} title={t(copy === undefined ? 'add' : 'copyToNew')} confirm={t('create')} onClose={onClose} told={isTold}>
      <CampaignInputs value={value} faults={strict ? faults : {}} readOnly={isOpen} onChange={change} />
    </NewRecordDialog>
  );
}
