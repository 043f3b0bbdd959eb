import { StatusChip } from '@/ui';

/** A reply's status, coloured as what it means. */
export function ReplyChip({ status }: { status: number }) {
  return <StatusChip tone={status < 300 ? 'ok' : status < 500 ? 'warn' : 'bad'}>{status}</StatusChip>;
}
