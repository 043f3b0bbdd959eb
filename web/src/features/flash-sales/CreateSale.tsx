import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { isProblem, useIdempotencyKey } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, useDraft, useToasts, When, type Versioned } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { uiMessages } from '@/ui/messages';
import { faultsOf, isFaultless, refusedFaults, termsOf, type SaleFields } from './fields';
import { saleMessages } from './messages';
import { createSale, oneSale } from './queries';
import { SaleInputs } from './SaleInputs';

const minute = 60_000;
const hour = 60 * minute;

function blank(): SaleFields {
  const begins = Math.ceil(Date.now() / hour) * hour;
  const spell = (time: number) => new Date(time).toISOString();
  return { name: '', sku: '', price: null, quantity: null, perUserLimit: 1, startsTime: spell(begins), endsTime: spell(begins + hour), queueCap: null, rate: null };
}

/** The form of a sale that is not there yet, as the record that a draft is kept of. */
interface Unborn extends Versioned {
  fields: SaleFields;
}

const readUnborn = ({ fields }: Unborn) => fields;
const scope = 'flash-sales/new';

/** The dialog that plans a sale. What was typed is kept until it is planned or discarded. */
export function CreateSale({ onClose }: { onClose: () => void }) {
  const t = useText(saleMessages);
  const ui = useText(uiMessages);
  const edit = useText(editMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { key, renew } = useIdempotencyKey(scope);
  const [current] = useState<Unborn>(() => ({ version: 0, etag: 'new', fields: blank() }));
  const draft = useDraft({ resource: scope, current, read: readUnborn });
  const [strict, setStrict] = useState(false);
  const create = useMutation({
    mutationFn: () => createSale(termsOf(draft.value), key),
    onSuccess: ({ data: made, replayed }) => {
      renew();
      draft.discard();
      queries.setQueryData(oneSale(made.id).queryKey, made);
      void queries.invalidateQueries({ queryKey: ['flash-sales', 'list'] });
      toasts.done(t('planned', { name: made.name }));
      if (replayed) toasts.info(t('replayed'));
      onClose();
      void navigate({ to: '/flash-sales/$id', params: { id: String(made.id) } });
    },
    onError: (error) => {
      if (!isProblem(error) || !error.isOutcomeUnknown) renew();
    },
  });
  // What was sent stays as it was: the same key with other contents would be refused.
  const unknown = isProblem(create.error) && create.error.isOutcomeUnknown;
  const faults = { ...refusedFaults(create.error), ...faultsOf(draft.value) };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (isFaultless(faultsOf(draft.value))) create.mutate();
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={t('add')} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {create.error !== null && (unknown ? <Banner tone="warn" title={t('unknown')} /> : <ProblemBanner error={create.error} />)}
          {draft.restored !== undefined && (
            <Banner
              tone="info"
              title={edit.rich('restored', { when: <When time={new Date(draft.restored).toISOString()} /> })}
              action={<Button onClick={draft.discard}>{edit('discard')}</Button>}
            >
              {edit('restoredHint')}
            </Banner>
          )}
          <SaleInputs value={draft.value} faults={strict ? faults : {}} readOnly={unknown} onChange={(change) => draft.setValue((before) => ({ ...before, ...change }))} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{ui('cancel')}</Button>
            <Button type="submit" variant="filled" loading={create.isPending}>
              {t(unknown ? 'askAgain' : 'create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
