import { Money, RecordLink } from '@/ui';

interface Props {
  detail: object;
  /** Converts a reason to its text. */
  reasonText?: (reason: string) => string;
}

/** The details of an event: amount, order, refund, reason and reference. */
export function EventDetail({ detail, reasonText = (reason) => reason }: Props) {
  const { amount, orderId, refundId, reason, reference } = detail as Readonly<Record<string, unknown>>;
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  const texts = [isText(reason) && reasonText(reason), isText(reference) && reference].filter(isText);
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
