import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { contentOfFields, Dialog, RecordForm, useRecordForm } from '@/ui';
import { editableWhenOpen, faultsOf, formOf, isFaultless, readFields, saleFields, useSaleLabels, type SaleFields } from './fields';
import { saleMessages } from './messages';
import { editSale, oneSale, scheduleSale, type Sale } from './queries';
import { SaleInputs, useSaleFaults } from './SaleInputs';

export function EditSale({ sale, onClose }: { sale: Sale; onClose: () => void }) {
  const t = useText(saleMessages);
  const queries = useQueryClient();
  const { id, name, status } = sale;
  const editing = useRecordForm<Sale, SaleFields>(
    {
      resource: `flash-sales/${id}`,
      title: name,
      current: sale,
      labels: useSaleLabels(),
      read: readFields,
      contentOf: contentOfFields,
      formOf,
      isComplete: (form) => isFaultless(faultsOf(form)),
      send: (patch, etag, key) => editSale(id, patch, etag, key),
      onRecord: (saved) => {
        queries.setQueryData(oneSale(id).queryKey, saved);
        void queries.invalidateQueries({ queryKey: ['flash-sales'] });
      },
    },
    onClose,
  );
  const { value } = editing.draft;
  const fields = status === 'draft' ? saleFields : editableWhenOpen;
  const { errorOf, hasInput } = useSaleFaults(editing, value, fields);
  return (
    <Dialog onClose={onClose} size="lg" title={t('editTitle', { name })}>
      <RecordForm
        editing={editing}
        hasInput={hasInput}
        schedule={(patch, etag, at, key) => scheduleSale(id, patch, etag, at, key)}
        head={status !== 'draft' && <Text c="dimmed">{t('editOpenHint')}</Text>}
      >
        <SaleInputs value={value} errorOf={errorOf} fields={fields} onChange={editing.change} />
      </RecordForm>
    </Dialog>
  );
}
