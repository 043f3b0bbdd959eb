import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useFieldErrorText, useToasts } from '@/ui';
import { blankItem, type ItemFields } from './fields';
import { isComplete, isItemInput, ItemInputs } from './ItemInputs';
import { itemMessages } from './messages';
import { createItem, type Item } from './queries';

interface Form extends ItemFields {
  sku: string;
}

const skuShape = /^[A-Za-z0-9._-]{1,64}$/;

export function CreateItem({ onClose }: { onClose: () => void }) {
  const t = useText(itemMessages);
  const toasts = useToasts();
  const navigate = useNavigate();
  const keyed = useKeyedForm<Form, Item>({
    scope: 'items/new',
    title: t('add'),
    topics: ['items'],
    open: () => ({ sku: '', ...blankItem }),
    isComplete: (form) => skuShape.test(form.sku) && isComplete(form),
    send: ({ sku, name, price, ownedByUserId }, key) => createItem({ sku, name: name.trim(), price: price ?? 0, ownedByUserId, status: 'active' }, key),
    onDone: ({ sku }) => {
      toasts.done(t('added', { sku }));
      onClose();
      void navigate({ to: '/items/$sku', params: { sku } });
    },
  });
  const { form, change, strict, error, isFixed } = keyed;
  const { sku } = form;
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
    </FormDialog>
  );
}
