import { Modal, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { RecordForm, useFaults, useRecordForm } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { orderMessages } from '../messages';
import styles from '../Order.module.css';
import { editOrder, oneOrder, type Order } from '../queries';
import {
  addresses,
  addressFields,
  addressMembers,
  contentOf,
  formOf,
  metadataOf,
  readFields,
  useOrderLabels,
  type OrderField,
  type OrderFields,
} from './fields';

/** The dialog that edits the facts of an order that change no amount: addresses, email, note, tags and metadata. */
export function EditOrder({ order, onClose }: { order: Order; onClose: () => void }) {
  const t = useText(orderMessages);
  const ui = useText(uiMessages);
  const queries = useQueryClient();
  const { id, orderNo, fulfilmentStatus } = order;
  const isShipped = fulfilmentStatus !== 'none';
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
  const input = (name: OrderField) => ({
    'data-field': name,
    value: value[name],
    error: errorOf(name),
    onChange: (event: { currentTarget: { value: string } }) => editing.change({ [name]: event.currentTarget.value }),
  });
  return (
    <Modal opened onClose={onClose} size="xl" title={title} closeButtonProps={{ 'aria-label': ui('close') }}>
      <RecordForm editing={editing} hasInput={hasInput} label={title}>
        <Textarea label={t('note')} autosize minRows={2} maxLength={4000} {...input('note')} data-autofocus />
        <Textarea label={t('tags')} description={t('tagsHint')} autosize minRows={1} {...input('tags')} />
        <Textarea label={t('metadata')} description={t('metadataHint')} autosize minRows={2} classNames={{ input: 'mono' }} {...input('metadata')} />
        <TextInput label={t('email')} type="email" autoComplete="off" maxLength={254} {...input('email')} />
        {addresses.map((address) => (
          <fieldset key={address} className={styles.group} disabled={isShipped}>
            <legend>{t(address)}</legend>
            {isShipped && <Text c="dimmed">{t('addressFixed')}</Text>}
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              {addressMembers.map((member) => (
                <TextInput key={member} label={t(`address_${member}`)} autoComplete="off" {...input(`${address}/${member}`)} />
              ))}
            </SimpleGrid>
          </fieldset>
        ))}
      </RecordForm>
    </Modal>
  );
}
