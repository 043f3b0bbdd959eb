import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { RecordForm, useFaults, useRecordForm } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { orderMessages } from '../messages';
import { editOrder, oneOrder, type Order } from '../queries';
import { addressFields, contentOf, formOf, metadataOf, readFields, useOrderLabels, type OrderField, type OrderFields } from './fields';
import { OrderInputs } from './OrderInputs';

/** The dialog that edits the facts of an order that change no amount: addresses, email, note, tags and metadata. */
export function EditOrder({ order, onClose }: { order: Order; onClose: () => void }) {
  const t = useText(orderMessages);
  const ui = useText(uiMessages);
  const queries = useQueryClient();
  const { id, orderNo, fulfilmentStatus } = order;
  const title = t('editTitle', { number: orderNo });
  const editing = useRecordForm<Order, OrderFields>(
    {
      resource: `orders/${id}`,
      title: orderNo,
      current: order,
      labels: useOrderLabels(),
      read: readFields,
      contentOf,
      formOf,
      send: (edit, etag, key) => editOrder(id, edit, etag, key),
      onRecord: (saved) => {
        queries.setQueryData(oneOrder(id).queryKey, saved);
        void queries.invalidateQueries({ queryKey: ['orders'] });
      },
    },
    onClose,
  );
  const { value } = editing.draft;
  const { errorOf, hasInput } = useFaults<OrderField>(
    { strict: true, error: editing.error },
    ['email', 'note', 'tags', 'metadata', ...addressFields],
    (name) => name === 'metadata' && metadataOf(value.metadata) === undefined && t('metadataMalformed'),
  );
  return (
    <Modal opened onClose={onClose} size="xl" title={title} closeButtonProps={{ 'aria-label': ui('close') }}>
      <RecordForm editing={editing} hasInput={hasInput} label={title}>
        <OrderInputs value={value} errorOf={errorOf} isShipped={fulfilmentStatus !== 'none'} onChange={editing.change} />
      </RecordForm>
    </Modal>
  );
}
