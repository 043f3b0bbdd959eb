import { Money, RecordLink } from '@/ui';

/** The details of an event: amount, order, refund, reason, reference and comment. */
export function EventDetail({ detail }: { detail: object }) {
  const { amount, orderId, refundId, reason, reference, text } = detail as Readonly<Record<string, unknown>>;
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  const texts = [reason, reference, text].filter(isText);
  return (
    <>
      {typeof amount === 'number' && <Money minor={amount} />}
      {typeof orderId === 'number' && (
        <>
          {' '}
          <RecordLink path={`orders/${orderId}`} />
        </>
      )}
      {typeof refundId === 'number' && (
        <>
          {' '}
          <RecordLink path={`refunds/${refundId}`} />
        </>
      )}
      {texts.length > 0 && <div>{texts.join(' · ')}</div>}
    </>
  );
}
