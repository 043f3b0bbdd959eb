import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useText } from '@/i18n';
import { ProblemBanner, useDraft } from '@/ui';
import { EditNotices } from '@/ui/edit/EditNotices';
import { FieldConflicts } from '@/ui/edit/FieldConflicts';
import { editMessages } from '@/ui/edit/messages';
import { useGuardedSave, type Saved } from '@/ui/edit/useGuardedSave';
import { useSaveWords } from '@/ui/edit/useSaveWords';
import { uiMessages } from '@/ui/messages';
import { editableWhenOpen, faultsOf, isFaultless, readFields, refusedFaults, useSaleTexts, type SaleFields } from './fields';
import { saleMessages } from './messages';
import { editSale, oneSale, type Sale } from './queries';
import { SaleInputs } from './SaleInputs';

/** Edits a sale; what others change meanwhile is merged, or asked for field by field. */
export function EditSale({ sale, onClose }: { sale: Sale; onClose: () => void }) {
  const t = useText(saleMessages);
  const ui = useText(uiMessages);
  const edit = useText(editMessages);
  const queries = useQueryClient();
  const texts = useSaleTexts();
  const tell = useSaveWords<SaleFields>(texts);
  const { id, name, status } = sale;
  const draft = useDraft({ resource: `flash-sales/${id}`, current: sale, read: readFields });
  const [strict, setStrict] = useState(false);
  const guarded = useGuardedSave<Sale, SaleFields>({
    draft,
    read: readFields,
    send: async (patch, etag) => {
      const saved = await editSale(id, patch, etag);
      queries.setQueryData(oneSale(id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['flash-sales'] });
      return saved;
    },
  });
  const save = useMutation({ mutationFn: (run: () => Promise<Saved<SaleFields>>) => run() });
  const run = (how: () => Promise<Saved<SaleFields>>, theirs?: string) =>
    save.mutate(how, {
      onSuccess: (outcome) => {
        tell(outcome, theirs);
        if (outcome.kind !== 'contested') onClose();
      },
    });
  const { conflict } = guarded;
  const faults = { ...refusedFaults(save.error), ...faultsOf(draft.value) };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (isFaultless(faultsOf(draft.value))) run(guarded.save);
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={t('editTitle', { name })} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {status !== 'draft' && <Text c="dimmed">{t('editOpenHint')}</Text>}
          {save.error !== null && <ProblemBanner error={save.error} />}
          {conflict === undefined && <EditNotices draft={draft} current={sale} read={readFields} texts={texts} />}
          {conflict !== undefined && (
            <FieldConflicts
              conflict={conflict}
              mine={draft.value}
              texts={texts}
              saving={save.isPending}
              onChoose={guarded.choose}
              onLater={guarded.giveUp}
              onResolve={() => run(() => guarded.resolve(conflict), conflict.by.name)}
            />
          )}
          <SaleInputs
            value={draft.value}
            faults={strict ? faults : {}}
            fields={status === 'draft' ? undefined : editableWhenOpen}
            onChange={(change) => draft.setValue((before) => ({ ...before, ...change }))}
          />
          <Group justify="flex-end">
            <Button disabled={!draft.isDirty} onClick={draft.discard}>
              {edit('discard')}
            </Button>
            <Button type="submit" variant="filled" disabled={!draft.isDirty || conflict !== undefined} loading={save.isPending}>
              {edit('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
