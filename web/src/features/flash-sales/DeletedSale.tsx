import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { contentOfFields, DeletedRecord, useKeyedMutation, useToasts } from '@/ui';
import { faultsOf, isFaultless, termsOf, useSaleLabels, type SaleFields } from './fields';
import { saleMessages } from './messages';
import { createSale, oneSale, type Sale } from './queries';

interface Props {
  id: number;
  /** The draft. */
  form: SaleFields;
  onForget: () => void;
}

/** Shown for a deleted sale with a draft. A sale that is created again gets a new number, so its page has another address. */
export function DeletedSale({ id, form, onForget }: Props) {
  const t = useText(saleMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const labels = useSaleLabels();
  const mayWrite = useMay()('flash-sales:write');
  const recreate = useKeyedMutation<SaleFields, Sale>({
    scope: `flash-sales/${id}/again`,
    title: form.name,
    send: (typed, key) => createSale(termsOf(typed), key),
    onDone: (made) => {
      onForget();
      queries.setQueryData(oneSale(made.id).queryKey, made);
      toasts.done(t('restored', { name: made.name }));
      void navigate({ to: '/flash-sales/$id', params: { id: String(made.id) }, replace: true });
    },
  });
  const again = { ...recreate, run: isFaultless(faultsOf(form)) ? () => recreate.run(form) : undefined };
  return <DeletedRecord content={contentOfFields(form)} labels={labels} recreate={mayWrite ? again : undefined} onDiscard={onForget} />;
}
