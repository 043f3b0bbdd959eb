import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { components } from '@/api';
import { useFormat, useText } from '@/i18n';
import { CustomerLink, Facts, RecordLink, Section, StatusChip, When } from '@/ui';
import { orderMessages } from './messages';
import styles from './Order.module.css';
import type { Order } from './queries';

/** The customer of an order, with the addresses. */
export function OrderCustomer({ order: { userId, email, shippingAddress, billingAddress } }: { order: Order }) {
  const t = useText(orderMessages);
  return (
    <Section title={t('customer')}>
      <Facts
        layout="list"
        facts={[
          [t('user'), <CustomerLink key="user" userId={userId} />],
          [t('email'), email === null ? t('none') : <a href={`mailto:${email}`}>{email}</a>],
          [t('shippingAddress'), <AddressLines key="shipping" address={shippingAddress} />],
          [t('billingAddress'), <AddressLines key="billing" address={billingAddress} />],
        ]}
      />
    </Section>
  );
}

function AddressLines({ address }: { address: components['schemas']['Address'] | null }) {
  const t = useText(orderMessages);
  const format = useFormat();
  if (address === null) return t('none');
  const { name, company, line1, line2, city, region, postalCode, country, phone } = address;
  const place = [postalCode, city, region].filter(Boolean).join(' ');
  const lines = [name, company, line1, line2, place, format.country(country), phone];
  return <address className={styles.address}>{lines.map((line, i) => line !== undefined && line !== '' && <span key={i}>{line}</span>)}</address>;
}

/** The note, tags and metadata of an order. `onEdit` is undefined for users who may not edit them. */
export function OrderDetails({ order: { note, tags, metadata }, onEdit }: { order: Order; onEdit?: () => void }) {
  const t = useText(orderMessages);
  const entries = Object.entries(metadata);
  return (
    <Section
      title={t('details')}
      action={
        onEdit !== undefined && (
          <Button size="xs" onClick={onEdit}>
            {t('edit')}
          </Button>
        )
      }
    >
      <Facts
        layout="list"
        facts={[
          [t('note'), note === '' ? t('none') : <p className={styles.note}>{note}</p>],
          [
            t('tags'),
            tags.length === 0 ? (
              t('none')
            ) : (
              <span className={styles.tags}>
                {tags.map((tag) => (
                  <StatusChip key={tag}>{tag}</StatusChip>
                ))}
              </span>
            ),
          ],
        ]}
      />
      <Text c="dimmed" fz={13} mt="sm">
        {t('metadata')}
      </Text>
      {entries.length === 0 ? t('none') : <Facts layout="list" label={t('metadata')} facts={entries} />}
    </Section>
  );
}

/** The times and terms of an order. */
export function OrderFacts({ order }: { order: Order }) {
  const t = useText(orderMessages);
  const { dateTime } = useFormat();
  const { createdTime, paidTime, shippedTime, completedTime, cancelledTime, paymentDue, paymentTerms, couponCode, cancelReason, externalId } = order;
  const { flashSaleId, ticket } = order;
  const at = (time: string | null) => time !== null && dateTime(time);
  return (
    <Section title={t('facts')}>
      <Facts
        layout="list"
        facts={[
          [t('placed'), at(createdTime)],
          [t('paymentTerms'), t(`terms_${paymentTerms}`)],
          paymentDue !== null && [t('paymentDue'), <When key="due" time={paymentDue} />],
          [t('paidTime'), at(paidTime)],
          [t('shippedTime'), at(shippedTime)],
          [t('completedTime'), at(completedTime)],
          [t('cancelledTime'), at(cancelledTime)],
          [t('cancelReason'), cancelReason],
          couponCode !== null && [
            t('coupon'),
            <RecordLink key="coupon" path={`coupons/${couponCode}`} children={<span className="mono">{couponCode}</span>} />,
          ],
          externalId !== null && [t('externalId'), <span key="external" className="mono" children={externalId} />],
          flashSaleId !== null && [
            t('flashSale'),
            <Link key="sale" to="/flash-sales/$id" params={{ id: String(flashSaleId) }} search={{ ticket: ticket ?? undefined }}>
              {t('saleNumber', { id: String(flashSaleId) })}
            </Link>,
          ],
        ]}
      />
    </Section>
  );
}
