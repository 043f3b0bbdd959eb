import { StatusChip } from '@/ui';

/** The status of a reply, coloured by its class. */
export function ReplyChip({ status }: { status: number }) {
  return <StatusChip tone={status < 300 ? 'ok' : status < 500 ? 'warn' : 'bad'}>{status}</StatusChip>;
}
