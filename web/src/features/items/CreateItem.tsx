import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { api, data, idempotent, isProblem, keepsKey, useIdempotencyKey } from '@/api';
import { useText } from '@/i18n';
import { OutcomeNotice, ProblemBanner, useToasts } from '@/ui';
import { uiMessages } from '@/ui/messages';
import type { ItemFields } from './fields';
import { isComplete, ItemInputs } from './ItemInputs';
import { itemMessages } from './messages';

const skuShape = /^[A-Za-z0-9._-]{1,64}$/;
const nothing: ItemFields = { name: '', price: null, ownedByUserId: null };

/** The dialog that adds an item. */
export function CreateItem({ onClose }: { onClose: () => void }) {
  const t = useText(itemMessages);
  const ui = useText(uiMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { key, renew } = useIdempotencyKey('items/new');
  const [sku, setSku] = useState('');
  const [value, setValue] = useState(nothing);
  const [strict, setStrict] = useState(false);
  const create = useMutation({
    mutationFn: () =>
      data(
        api.POST('/api/v1/items', { body: { sku, ...value, name: value.name.trim(), price: value.price ?? 0, status: 'active' }, headers: idempotent(key) }),
      ),
    onSuccess: (item) => {
      renew();
      void queries.invalidateQueries({ queryKey: ['items'] });
      toasts.done(t('added', { sku: item.sku }));
      onClose();
      void navigate({ to: '/items/$sku', params: { sku: item.sku } });
    },
    onError: (error) => {
      if (!keepsKey(error)) renew();
    },
  });
  const exists = isProblem(create.error, 'already_exists');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (skuShape.test(sku) && isComplete(value)) create.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={t('add')} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <OutcomeNotice requestKey={key} />
          {create.error !== null && !exists && <ProblemBanner error={create.error} />}
          <TextInput
            label={t('sku')}
            description={t('addHint')}
            classNames={{ input: 'mono' }}
            value={sku}
            error={exists ? t('exists', { sku }) : strict && !skuShape.test(sku) && t('skuWrong')}
            onChange={(event) => {
              setSku(event.currentTarget.value.trim());
              create.reset();
            }}
            data-autofocus
          />
          <ItemInputs value={value} strict={strict} onChange={(change) => setValue((before) => ({ ...before, ...change }))} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{ui('cancel')}</Button>
            <Button type="submit" variant="filled" loading={create.isPending}>
              {t('create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
