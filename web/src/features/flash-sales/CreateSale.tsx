import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { oneItem } from '@/features/items/queries';
import { useText } from '@/i18n';
import { FormDialog, Icon, useKeyedForm, useToasts } from '@/ui';
import { blankSale, faultsOf, isFaultless, saleFields, termsOf, type SaleField, type SaleFields } from './fields';
import { saleMessages } from './messages';
import { createSale, oneSale, type Sale } from './queries';
import { SaleInputs, useSaleFaults } from './SaleInputs';

/** The fields that a plan needs; all others have a default. */
const needed: readonly SaleField[] = ['sku', 'price', 'quantity', 'startsTime', 'endsTime'];
const advanced = saleFields.filter((field) => !needed.includes(field));

/** Names a sale after its item if it has no name. */
const named = (form: SaleFields, item: string): SaleFields => (form.name.trim() === '' ? { ...form, name: item === '' ? '–' : item } : form);

/** The dialog for a new sale. It needs item, price, quantity and time; the advanced terms are shown on request. */
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
    isComplete: (form) => isFaultless(faultsOf(named(form, form.sku))),
    seal: (form) => named(form, queries.getQueryData(oneItem(form.sku.trim()).queryKey)?.name ?? form.sku),
    send: (form, key) => createSale(termsOf(form), key),
    onDone: (made) => {
      queries.setQueryData(oneSale(made.id).queryKey, made);
      toasts.done(t('planned', { name: made.name }));
      onClose();
      void navigate({ to: '/flash-sales/$id', params: { id: String(made.id) } });
    },
  });
  const { form } = keyed;
  const [isAdvanced, setAdvanced] = useState(() => advanced.some((field) => form[field] !== blankSale()[field]));
  const { errorOf, hasInput } = useSaleFaults(keyed, named(form, form.sku), saleFields);
  const isLong = isAdvanced || advanced.some((field) => errorOf(field) !== undefined);
  return (
    <FormDialog form={keyed} title={t('add')} confirm={t('create')} hasInput={hasInput} onClose={onClose}>
      <SaleInputs value={form} errorOf={errorOf} fields={needed} readOnly={keyed.isFixed} onChange={keyed.change} />
      {isLong ? (
        <SaleInputs value={form} errorOf={errorOf} fields={advanced} readOnly={keyed.isFixed} onChange={keyed.change} />
      ) : (
        <Button variant="subtle" size="xs" me="auto" leftSection={<Icon name="plus" />} onClick={() => setAdvanced(true)}>
          {t('advanced')}
        </Button>
      )}
    </FormDialog>
  );
}
