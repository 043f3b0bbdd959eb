import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { isProblem, useMay } from '@/api';
import { adjust } from '@/features/inventory/queries';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useFieldErrorText, useToasts } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { blankItem, type ItemFields } from './fields';
import { isComplete, isItemInput, ItemInputs } from './ItemInputs';
import { itemMessages } from './messages';
import { createItem, type Item } from './queries';

interface Form extends ItemFields {
  sku: string;
  /** The units in stock; null for none. */
  opening: number | null;
}

const skuShape = /^[A-Za-z0-9._-]{1,64}$/;

export function CreateItem({ onClose }: { onClose: () => void }) {
  const t = useText(itemMessages);
  const toasts = useToasts();
  const navigate = useNavigate();
  const keyed = useKeyedForm<Form, { item: Item; hasStock: boolean }>({
    scope: 'items/new',
    title: t('add'),
    topics: ['items', 'inventory'],
    open: () => ({ sku: '', opening: null, ...blankItem }),
    isComplete: (form) => skuShape.test(form.sku) && isComplete(form),
    send: async ({ sku, name, price, ownedByUserId, opening }, key) => {
      const item = await createItem({ sku, name: name.trim(), price: price ?? 0, ownedByUserId, status: 'active' }, key);
      if (opening === null || opening === 0) return { item, hasStock: true };
      // The reference makes a repeat harmless.
      const stock = { delta: opening, reason: t('openingReason'), reference: 'opening' };
      const hasStock = await adjust(sku, stock, `${key}-stock`).then(
        () => true,
        () => false,
      );
      return { item, hasStock };
    },
    onDone: ({ item: { sku }, hasStock }) => {
      if (hasStock) toasts.done(t('added', { sku }));
      else toasts.info(t('addedWithoutStock', { sku }));
      onClose();
      void navigate({ to: '/items/$sku', params: { sku } });
    },
  });
  const { form, change, strict, error, isFixed } = keyed;
  const { sku } = form;
  const mayStock = useMay()('inventory:adjust');
  const rejected = useFieldErrorText(error);
  const exists = isProblem(error, 'already_exists');
  return (
    <FormDialog
      form={keyed}
      title={t('add')}
      confirm={t('create')}
      hasInput={(pointer) => pointer === '/sku' || isItemInput(pointer)}
      renderRejection={() => (exists ? <></> : undefined)}
      onClose={onClose}
    >
      <TextInput
        label={t('sku')}
        description={t('addHint')}
        classNames={{ input: 'mono' }}
        disabled={isFixed}
        value={sku}
        error={exists ? t('exists', { sku }) : strict && !skuShape.test(sku) ? t('skuWrong') : rejected('/sku')}
        onChange={(event) => change({ sku: event.currentTarget.value.trim() })}
        data-autofocus
      />
      <ItemInputs value={form} strict={strict} error={error} readOnly={isFixed} onChange={change} />
      {mayStock && (
        <WholeInput label={t('opening')} description={t('openingHint')} disabled={isFixed} value={form.opening} onChange={(opening) => change({ opening })} />
      )}
    </FormDialog>
  );
}
