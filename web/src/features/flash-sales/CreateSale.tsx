import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useToasts } from '@/ui';
import { blankSale, faultsOf, isFaultless, saleFields, termsOf, type SaleFields } from './fields';
import { saleMessages } from './messages';
import { createSale, oneSale, type Sale } from './queries';
import { SaleInputs, useSaleFaults } from './SaleInputs';

export function CreateSale({ onClose }: { onClose: () => void }) {
  const t = useText(saleMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const keyed = useKeyedForm<SaleFields, Sale>({
    scope: 'flash-sales/new',
    title: t('add'),
    topics: ['flash-sales'],
    open: blankSale,
    isComplete: (form) => isFaultless(faultsOf(form)),
    send: (form, key) => createSale(termsOf(form), key),
    onDone: (made) => {
      queries.setQueryData(oneSale(made.id).queryKey, made);
      toasts.done(t('planned', { name: made.name }));
      onClose();
      void navigate({ to: '/flash-sales/$id', params: { id: String(made.id) } });
    },
  });
  const { errorOf, hasInput } = useSaleFaults(keyed, keyed.form, saleFields);
  return (
    <FormDialog form={keyed} title={t('add')} confirm={t('create')} hasInput={hasInput} onClose={onClose}>
      <SaleInputs value={keyed.form} errorOf={errorOf} readOnly={keyed.isFixed} onChange={keyed.change} />
    </FormDialog>
  );
}
