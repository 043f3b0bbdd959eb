import { Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { RecordForm } from '@/ui/edit/RecordForm';
import { useRecordForm } from '@/ui/edit/useRecordForm';
import { uiMessages } from '@/ui/messages';
import { editableWhenOpen, faultsOf, isFaultless, isTold, readFields, refusedFaults, useSaleTexts, type SaleFields } from './fields';
import { saleMessages } from './messages';
import { editSale, oneSale, type Sale } from './queries';
import { SaleInputs } from './SaleInputs';

/** Edits a sale. */
export function EditSale({ sale, onClose }: { sale: Sale; onClose: () => void }) {
  const t = useText(saleMessages);
  const ui = useText(uiMessages);
  const queries = useQueryClient();
  const { id, name, status } = sale;
  const form = useRecordForm<Sale, SaleFields>({
    resource: `flash-sales/${id}`,
    current: sale,
    read: readFields,
    texts: useSaleTexts(),
    isComplete: (value) => isFaultless(faultsOf(value)),
    send: async (patch, etag) => {
      const saved = await editSale(id, patch, etag);
      queries.setQueryData(oneSale(id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['flash-sales'] });
      return saved;
    },
    onSaved: onClose,
  });
  const { draft, strict } = form;
  const fields = status === 'draft' ? undefined : editableWhenOpen;
  const faults = { ...refusedFaults(form.error), ...faultsOf(draft.value) };
  return (
    <Modal opened onClose={onClose} size="lg" title={t('editTitle', { name })} closeButtonProps={{ 'aria-label': ui('close') }}>
      <RecordForm form={form} told={isTold(fields)} head={status !== 'draft' && <Text c="dimmed">{t('editOpenHint')}</Text>}>
        <SaleInputs value={draft.value} faults={strict ? faults : {}} fields={fields} onChange={form.change} />
      </RecordForm>
    </Modal>
  );
}
