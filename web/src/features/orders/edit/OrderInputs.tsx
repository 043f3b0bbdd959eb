import { SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { orderMessages } from '../messages';
import styles from '../Order.module.css';
import { addresses, addressMembers, type OrderField, type OrderFields } from './fields';

interface Props {
  value: OrderFields;
  errorOf: (name: OrderField) => string | undefined;
  /** The addresses are fixed by the first shipment. */
  isShipped?: boolean;
  disabled?: boolean;
  onChange: (part: Partial<OrderFields>) => void;
}

/** The inputs for the facts of an order that change no amount. */
export function OrderInputs({ value, errorOf, isShipped = false, disabled = false, onChange }: Props) {
  const t = useText(orderMessages);
  const input = (name: OrderField) => ({
    'data-field': name,
    disabled,
    value: value[name],
    error: errorOf(name),
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <>
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
    </>
  );
}
