import { useFormat } from '@/i18n';

/** Writes a change with its sign: +100, −3, 0. */
export function useSigned(): (change: number) => string {
  const { number } = useFormat();
  return (change) => (change > 0 ? `+${number(change)}` : number(change).replace('-', '−'));
}
