import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { useToasts } from '@/ui';
import { NewRecordDialog } from '@/ui/edit/NewRecordDialog';
import { useNewRecord } from '@/ui/edit/useNewRecord';
import { faultsOf, isFaultless, isTold, refusedFaults, termsOf, type SaleFields } from './fields';
import { saleMessages } from './messages';
import { createSale, oneSale, type Sale } from './queries';
import { SaleInputs } from './SaleInputs';

const minute = 60_000;
const hour = 60 * minute;

function blank(): SaleFields {
  const begins = Math.ceil(Date.now() / hour) * hour;
  const spell = (time: number) => new Date(time).toISOString();
  return {
    name: '',
    sku: '',
    price: null,
    quantity: null,
    perUserLimit: 1,
    startsTime: spell(begins),
    endsTime: spell(begins + hour),
    queueCap: null,
    rate: null,
  };
}

/** The dialog that plans a sale. */
export function CreateSale({ onClose }: { onClose: () => void }) {
  const t = useText(saleMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const record = useNewRecord<SaleFields, Sale>({
    scope: 'flash-sales/new',
    blank,
    isComplete: (value) => isFaultless(faultsOf(value)),
    send: (value, key) => createSale(termsOf(value), key),
    onMade: (made) => {
      queries.setQueryData(oneSale(made.id).queryKey, made);
      void queries.invalidateQueries({ queryKey: ['flash-sales', 'list'] });
      toasts.done(t('planned', { name: made.name }));
      onClose();
      void navigate({ to: '/flash-sales/$id', params: { id: String(made.id) } });
    },
  });
  const { value, change, strict, error, isOpen } = record;
  const faults = { ...refusedFaults(error), ...faultsOf(value) };
  return (
    <NewRecordDialog record={record} title={t('add')} confirm={t('create')} onClose={onClose} told={isTold()}>
      <SaleInputs value={value} faults={strict ? faults : {}} readOnly={isOpen} onChange={change} />
    </NewRecordDialog>
  );
}
